"""A tape that cannot be written, while the real client runs: its outcome is what it is without."""

import base64
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

import provider_events
import pytest
from cells import WIRETAPE
from codex_run import CodexRun, normalised, run_codex
from provider import Provider
from provider_script import Accept, Reply, Say, Script, Written
from situations import ANSWER, PROMPT, Transport, Version
from small_disk import small_disk

from wiretape.errors import TapeError
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex

FILLING = tuple(
    {"type": "response.dream.delta", "delta": base64.b64encode(os.urandom(36_000)).decode()}
    for _ in range(60)
)
"""More than the disk has room for, and no client knows it."""

REPLY = Reply(Written((*FILLING, *provider_events.events(Say(ANSWER), 1, ()))))


@contextmanager
def locked(tape: Path) -> Iterator[None]:
    """Somebody has the tape locked from when it is one until the context ends."""
    done = threading.Event()

    def lock() -> None:
        while not done.wait(0.01):
            with suppress(TapeError), TapeReader(tape):
                break
        with closing(sqlite3.connect(tape, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            done.wait()
            other.execute("ROLLBACK")

    thread = threading.Thread(target=lock)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("trouble", ["disk full", "locked"])
@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_the_client_does_not_notice(
    version: Version,
    transport: Transport,
    trouble: str,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Its events and its exit code; what is lost is told, and counted in the last line."""
    script = Script(posts=(REPLY,), upgrades=(Accept(),), messages=(REPLY,))
    with ExitStack() as stack:
        provider = stack.enter_context(Provider(script))

        def run(*prefix: str | Path) -> CodexRun:
            return run_codex(
                codex(version),
                PROMPT,
                base_url=provider.base_url,
                transport=transport,
                home=tmp_path / "home",
                cwd=tmp_path / "cwd",
                command_prefix=[*map(str, prefix)],
                environment={"WIRETAPE_CA_DIR": str(tmp_path.parent / "ca")},
            )

        direct = run()
        folder = tmp_path
        if trouble == "disk full":
            folder = stack.enter_context(small_disk(tmp_path / "disk", 1_500_000))
        tape = folder / "t.db"
        if trouble == "locked":
            stack.enter_context(locked(tape))
        recorded = run(WIRETAPE, "record", "-o", tape, "--")
        with TapeReader(tape) as reader:
            gaps = reader.gaps()
    assert recorded.final_message == ANSWER
    assert normalised(recorded.events) == normalised(direct.events)
    assert recorded.exit_code == direct.exit_code == 0
    assert f"wiretape: the tape {tape} cannot be written (" in recorded.stderr
    assert "are lost: the tape" in recorded.stderr
    last_line = recorded.stderr.splitlines()[-1]
    assert last_line.startswith(f"wiretape: the tape is {tape}: ")
    assert "0 gaps" not in last_line
    assert bool(gaps) == (trouble == "disk full")
