"""``kill -9`` of the recorder in mid-stream costs at most the last second."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from provider import Provider
from provider_script import Reply, Say, Script

from wiretape.store_reader import TapeReader

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))


def test_a_killed_recorder_leaves_all_but_the_last_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Every event that the client had a second before is on the tape, which opens as it is."""
    monkeypatch.setenv("WIRETAPE_CA_DIR", str(tmp_path_factory.getbasetemp() / "ca"))
    tape = tmp_path / "t.db"
    script = Script(posts=(Reply(Say("A long answer, word by word " * 20), pause_s=0.1),))
    with Provider(script) as provider, _recorder(tape) as recorder:
        assert recorder.stderr is not None
        proxy = re.search(r"the proxy is (\S+)\.$", recorder.stderr.readline().strip())
        assert proxy is not None
        arrived: list[tuple[float, int]] = []
        size = 0
        with (
            httpx.Client(proxy=proxy[1]) as client,
            pytest.raises(httpx.HTTPError),
            client.stream(
                "POST", f"{provider.base_url}/responses", content=json.dumps({"input": []})
            ) as response,
        ):
            for chunk in response.iter_raw():
                size += len(chunk)
                arrived.append((time.monotonic(), size))
                if len(arrived) == 25:
                    killed = time.monotonic()
                    os.kill(recorder.pid, signal.SIGKILL)
    older_than_a_second = max(size for at, size in arrived if at < killed - 1)
    with TapeReader(tape) as reader:
        (exchange,) = reader.exchanges()
        kept = b"".join(piece.data for piece in reader.pieces(exchange.id))
        assert exchange.end is None
    assert len(kept) >= older_than_a_second > 0


@contextmanager
def _recorder(tape: Path) -> Iterator[subprocess.Popen[str]]:
    """A recorder that listens; killed in the end, whatever happens."""
    command = [WIRETAPE, "record", "-o", str(tape)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as recorder:
        try:
            yield recorder
        finally:
            recorder.kill()
