"""A tape costs less than mitmproxy's flow file of the same run, and keeps more."""

import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cells import Cell
from codex_run import run_codex
from provider import Provider
from situations import PROMPT, SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex

MITMDUMP = str(Path(sys.executable).with_name("mitmdump"))


@pytest.mark.parametrize("transport", Transport)
@pytest.mark.parametrize("version", Version)
def test_three_rounds_cost_less_than_a_flow_file(
    version: Version, transport: Transport, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """Three tool rounds, recorded by both: ours is the smaller file."""
    cell = Cell(SITUATIONS["three-rounds"], codex(version), transport, tmp_path / "tape")
    cell.folder.mkdir()
    assert cell.recorded().codex.exit_code == 0
    flows = tmp_path / "run.flows"
    with Provider(cell.situation.scripts[transport]) as provider, _mitmdump(flows) as proxy:
        run = run_codex(
            cell.binary,
            PROMPT,
            base_url=provider.base_url,
            transport=transport,
            home=tmp_path / "home",
            cwd=tmp_path / "cwd",
            environment={"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy},
        )
    assert run.exit_code == 0
    print(f"{version} {transport}: tape {cell.tape.stat().st_size}, flows {flows.stat().st_size}")
    assert cell.tape.stat().st_size < flows.stat().st_size


@contextmanager
def _mitmdump(flows: Path) -> Iterator[str]:
    """A plain mitmdump that writes ``flows``; gives its URL."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [MITMDUMP, "-q", "-w", str(flows), "--listen-host", "127.0.0.1"]
    command += ["--listen-port", str(port), "--set", f"confdir={flows.parent / 'mitmproxy'}"]
    with subprocess.Popen(command) as process:
        try:
            _await_listening(port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(20)


def _await_listening(port: int) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            assert time.monotonic() < deadline, "mitmdump does not listen"
            time.sleep(0.05)
        else:
            return
