"""A recording inside another, or inside a replay: the outer one has what the inner one does."""

import subprocess
from pathlib import Path

from provider import Provider
from provider_script import Reply, Say, Script
from record_command import CLIENT, TIMEOUT_S, WIRETAPE, clean_environment
from recorded import recorded


def ask(folder: Path, url: str, *outer: str, inner: str) -> str:
    """What a client prints that asks once, inside both."""
    run = subprocess.run(
        [WIRETAPE, *outer, "--", WIRETAPE, "record", "-o", inner, "--", *CLIENT, url],
        env=clean_environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        start_new_session=True,
    )
    assert run.stdout.startswith("200 event: "), run
    return run.stdout


def the_exchange(tape: Path) -> tuple[str, int, str, bytes, bytes]:
    (found,) = recorded(tape)
    request = found.exchange.request
    return request.host, request.port, request.target, found.body, found.data


def test_both_go_on_to_a_model_on_this_machine(tmp_path: Path) -> None:
    """Two recordings hold the same; a replay answers a recorder where nobody listens any more."""
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        url = f"{provider.base_url}/responses"
        said = ask(tmp_path, url, "record", "-o", "outer.db", inner="inner.db")
    assert the_exchange(tmp_path / "outer.db") == the_exchange(tmp_path / "inner.db")
    assert ask(tmp_path, url, "replay", "--strict", "outer.db", inner="again.db") == said
    assert the_exchange(tmp_path / "again.db") == the_exchange(tmp_path / "inner.db")
