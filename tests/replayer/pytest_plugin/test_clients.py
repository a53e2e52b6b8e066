"""The clients that people have: the ``openai`` SDK over both transports, and the real Codex."""

from collections.abc import Callable
from pathlib import Path

import pytest
from codex_run import provider_config
from plugin_project import Project
from provider import Provider
from provider_script import Accept, Close, Reply, Run, Say, Script
from situations import Version

ONCE = "--wiretape-record=once"

SDK = """
import openai, pytest

def said(text):
    return [{"type": "message", "role": "user", "content": text}]

def test_stream(wiretape_replay):
    with openai.OpenAI(base_url=wiretape_replay.base_url) as client:
        with client.responses.create(model="m", input=said("hi"), stream=True) as events:
            texts = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert "".join(texts) == "hello"
    wiretape_replay.assert_as_recorded()

@pytest.mark.filterwarnings("ignore:connect.. must be used as a context manager")
def test_socket(wiretape_replay):
    with openai.OpenAI(base_url=wiretape_replay.base_url) as client:
        with client.responses.connect() as socket:
            for text in ("one", "two"):
                socket.response.create(model="m", input=said(text))
                for event in socket:
                    if event.type == "response.completed":
                        break
    wiretape_replay.assert_attempts(
        "first websocket create completed", "first websocket create completed"
    )
    wiretape_replay.assert_as_recorded()
"""


def test_the_sdk_is_recorded_and_replayed(
    project: Project, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream over HTTP, and two questions on one WebSocket; the second time offline."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-dummy")
    monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
    project.run(SDK, ONCE).assert_outcomes(passed=2)
    asked = provider.summary
    monkeypatch.delenv("OPENAI_API_KEY")
    monkeypatch.delenv("OPENAI_BASE_URL")
    project.run_again().assert_outcomes(passed=2)
    assert asked == "sse upgrade websocket websocket"
    assert provider.summary == asked


CODEX = """
import json, subprocess

def test_codex(wiretape_replay):
    ran = subprocess.run(
        [{binary!r}, "exec", "--skip-git-repo-check", "--json", "Follow the script."],
        env=wiretape_replay.environment,
        cwd={folder!r},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    said = [json.loads(line) for line in ran.stdout.split("\\n") if line.startswith("{{")]
    items = [event["item"] for event in said if event["type"] == "item.completed"]
    assert items[-1]["text"] == "Done."
    wiretape_replay.assert_requests({requests})
    wiretape_replay.assert_fallback()
    wiretape_replay.assert_as_recorded()
"""


@pytest.mark.codex
@pytest.mark.parametrize(("version", "requests"), [(Version.OLD, 2), (Version.NEW, 3)])
def test_codex_is_recorded_and_replayed(
    project: Project,
    version: Version,
    requests: int,
    codex: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A command that it runs, then a socket that is closed until it falls back; the same again
    when the provider is gone."""
    script = Script(
        upgrades=(Accept(),),
        messages=(Reply(Run("echo hello")), Reply(Say("never"), Close(1011, "scripted"), only=3)),
        posts=(Reply(Say("Done.")),),
    )
    home, folder = project.folder / "home", project.folder / "cwd"
    home.mkdir()
    folder.mkdir()
    source = CODEX.format(binary=str(codex(version)), folder=str(folder), requests=requests)
    for name in ("HOME", "CODEX_HOME"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("LOCAL_KEY", "sk-dummy")
    with Provider(script) as provider:
        (home / "config.toml").write_text(provider_config(provider.base_url, "websocket", {}))
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        project.run(source, ONCE).assert_outcomes(passed=1)
        asked = provider.summary
    project.run_again().assert_outcomes(passed=1)
    assert asked.endswith("websocket sse")
