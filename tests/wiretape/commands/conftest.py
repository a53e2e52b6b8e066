"""A tape to look at, and the command line to look with."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wiretape.cli import main
from wiretape.facts import (
    End,
    EndKind,
    Gap,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_writer import TapeLabel, TapeWriter

BEGAN_US = 1_767_323_045_000_000  # 2026-01-02T03:04:05Z
CREATED = b'data: {"type":"response.created","response":{"id":"resp_1"}}\n\n'
COMPLETED = (
    b'data: {"type":"response.completed","response":{"id":"resp_1",'
    b'"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}\n\n'
)
BODY = json.dumps(
    {
        "model": "gpt-5",
        "input": [{"type": "message", "role": "user", "content": "hi"}],
        "prompt_cache_key": "session-one",
    }
).encode()


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    """A failed try, cut after its first event, and the retry that completes; then a gap."""
    path = tmp_path / "bug.db"
    label = TapeLabel("record", BEGAN_US, "monotonic", '["codex", "exec"]')
    with TapeWriter(path, label, on_trouble=pytest.fail) as writer:
        for exchange, at_us in ((1, 1000), (2, 500_000)):
            writer.put(
                RequestHead(
                    exchange,
                    at_us,
                    exchange,
                    "POST",
                    "https",
                    "api.openai.com",
                    443,
                    "/v1/responses",
                    "HTTP/1.1",
                    (("user-agent", "codex_exec/0.99.0 (Linux)"),),
                )
            )
            writer.put(RequestBody(exchange, at_us + 10, BODY))
            writer.put(
                ResponseHead(
                    exchange,
                    at_us + 20_000,
                    200,
                    "OK",
                    "HTTP/1.1",
                    (("content-type", "text/event-stream"),),
                )
            )
            writer.put(Piece(exchange, at_us + 30_000, Sender.SERVER, PieceKind.CHUNK, CREATED))
            if exchange == 1:
                writer.put(End(1, at_us + 40_000, EndKind.SERVER_CLOSED, Sender.SERVER))
        writer.put(Piece(2, 600_000, Sender.SERVER, PieceKind.CHUNK, COMPLETED))
        writer.put(End(2, 610_000, EndKind.COMPLETE))
        writer.put(Gap(620_000, 630_000, None, 3, 400, "a test left it out"))
    return path


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test stands in an empty folder, with no folder of recordings named."""
    monkeypatch.delenv("WIRETAPE_RECORDINGS", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield


type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``wiretape`` with arguments: the exit code, what went to stdout, and to stderr."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit_info:
            main([os.fspath(argument) for argument in arguments])
        out, err = capsys.readouterr()
        assert isinstance(exit_info.value.code, int)
        return exit_info.value.code, out, err

    return run
