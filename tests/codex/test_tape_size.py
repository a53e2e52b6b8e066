"""A tape costs less than mitmproxy's flow file of the same run, and keeps more."""

import json
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from cells import Cell
from codex_run import run_codex
from provider import Provider
from situations import PROMPT, SITUATIONS, Transport, Version
from tape_contents import server_bytes

from wiretape.facts import EndKind, Sender
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex

MITMDUMP = str(Path(sys.executable).with_name("mitmdump"))


@dataclass(frozen=True)
class Both:
    """Three tool rounds, once on a tape and once in a flow file, which mitmproxy reads back."""

    tape: Path
    flow_file: Path

    @property
    def flows(self) -> list[dict[str, Any]]:
        """All that is in the flow file, of the requests to the model."""
        with warnings.catch_warnings():
            # mitmproxy warns about its own imports.
            warnings.simplefilter("ignore")
            from mitmproxy.io import FlowReader
        with self.flow_file.open("rb") as file:
            states = [flow.get_state() for flow in FlowReader(file).stream()]
        return [state for state in states if state["request"]["path"] == b"/v1/responses"]


@pytest.fixture(scope="module", params=list(product(Version, Transport)), ids="-".join)
def both(
    request: pytest.FixtureRequest,
    codex: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Both:
    version, transport = request.param
    folder = tmp_path_factory.mktemp("both")
    cell = Cell(SITUATIONS["three-rounds"], codex(version), transport, folder / "tape")
    cell.folder.mkdir()
    assert cell.recorded().codex.exit_code == 0
    flows = folder / "run.flows"
    with Provider(cell.situation.scripts[transport]) as provider, _mitmdump(flows) as proxy:
        run = run_codex(
            cell.binary,
            PROMPT,
            base_url=provider.base_url,
            transport=transport,
            home=folder / "home",
            cwd=folder / "cwd",
            environment={"HTTP_PROXY": proxy, "HTTPS_PROXY": proxy, "ALL_PROXY": proxy},
        )
    assert run.exit_code == 0
    return Both(cell.tape, flows)


def test_a_tape_costs_less_than_a_flow_file(both: Both) -> None:
    """Of the same run, ours is the smaller file."""
    assert both.tape.stat().st_size < both.flow_file.stat().st_size


def test_a_tape_holds_what_a_flow_file_holds(both: Both) -> None:
    """Each byte that the server sent, message by message over WebSocket, in the same order."""
    in_flows = [
        [message[2] for message in flow["websocket"]["messages"] if not message[1]]
        if flow["websocket"]
        else flow["response"]["content"]
        for flow in both.flows
    ]
    on_tape = [
        sent if isinstance(sent, bytes) else [data for _, data in sent]
        for sent in server_bytes(both.tape)
    ]
    assert on_tape == in_flows


def test_a_tape_holds_what_a_flow_file_lacks(both: Both) -> None:
    """When each chunk came, how each exchange ended and by whom, and what was run."""
    with TapeReader(both.tape) as reader:
        exchanges = list(reader.exchanges())
        times = [{piece.at_us for piece in reader.pieces(each.id)} for each in exchanges]
        command = reader.label().command
    for flow, exchange, at_us in zip(both.flows, exchanges, times, strict=True):
        assert exchange.end is not None
        if flow["websocket"]:
            # 1006 stands for an end without a close frame, whoever made it, and however.
            assert flow["websocket"]["close_code"] == 1006
            ended = (exchange.end.how, exchange.end.side)
            assert ended == (EndKind.CLIENT_CLOSED, Sender.CLIENT)
        else:
            told = [name for name in flow["response"] if name.startswith("timestamp")]
            assert told == ["timestamp_start", "timestamp_end"]
            assert len(at_us) > len(told)
            assert exchange.end.how in (EndKind.COMPLETE, EndKind.CLIENT_CLOSED)
    assert command is not None
    assert PROMPT in json.loads(command)


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
