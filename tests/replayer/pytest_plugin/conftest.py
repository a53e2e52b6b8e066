"""A project of somebody's, whose tests use the plugin, run by a pytest of its own."""

from collections.abc import Iterator

import pytest
from plugin_project import Project
from provider import Provider
from provider_script import Accept, Reply, Say, Script

from gateway.authority import Authority


@pytest.fixture
def project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> Project:
    monkeypatch.setenv("WIRETAPE_CA_DIR", str(authority.folder))
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Project(pytester)


@pytest.fixture
def provider() -> Iterator[Provider]:
    """A provider that says hello, over HTTP and over WebSocket."""
    hello = Reply(Say("hello"))
    script = Script(posts=(hello,), upgrades=(Accept(),), messages=(hello,))
    with Provider(script) as provider:
        yield provider
