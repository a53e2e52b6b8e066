"""What recording costs: events a second and memory, beside a proxy that only passes them on.

``python benchmarks/capture.py [--events 100000] [--rounds 3] [--megabytes 200]``

An upstream writes Responses events over one stream, a chunk or a frame each; a client reads them
through the proxy, which runs in a process of its own. First, speed: bare and recorder take turns
within one run, so the ratio holds on a busy machine too; the numbers themselves do not carry over
from one machine to another. Then, memory: many megabytes through the recorder at a rate far above
any model's, and its growth from the first event to its peak (Linux only). After each run with the
recorder its tape is read, and has to hold every event.
"""

import argparse
import math
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wiretape.facts import PieceKind, Sender
from wiretape.store_reader import TapeReader

EVENT = (
    b'{"type":"response.output_text.delta","sequence_number":%010d,"item_id":"msg_0001_1",'
    b'"output_index":1,"content_index":0,"delta":"a few words of it","logprobs":[],'
    b'"obfuscation":"Zq4mR7tKxW2p"}'
)
BATCH = 500
RATE_PER_S = 50_000
"""Of the long stream: what a WebSocket could bring beyond it, the writer would lose to a gap."""

READ_BYTES = 1 << 20
REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Result:
    """One run: its speed, and how far the proxy's memory grew."""

    events_per_s: float
    growth_bytes: int


def sse_event(number: int) -> bytes:
    data = b"event: response.output_text.delta\ndata: " + EVENT % number + b"\n\n"
    return b"%x\r\n%b\r\n" % (len(data), data)


def frame(number: int) -> bytes:
    data = EVENT % number
    return b"\x81\x7e" + len(data).to_bytes(2) + data


@dataclass(frozen=True)
class Transport:
    name: str
    request: str
    head: bytes
    event: Callable[[int], bytes]
    last: bytes


TRANSPORTS = (
    Transport(
        "SSE",
        "POST http://127.0.0.1:{port}/v1/responses HTTP/1.1\r\ncontent-length: 0\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        sse_event,
        b"0\r\n\r\n",
    ),
    Transport(
        "WebSocket",
        "GET http://127.0.0.1:{port}/v1/responses HTTP/1.1\r\nupgrade: websocket\r\n"
        "connection: upgrade\r\nsec-websocket-version: 13\r\n"
        "sec-websocket-key: x3JJHMbDL1EzLkh9GBhXDw==\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n"
        b"sec-websocket-accept: HSmrc0sMlYUkAGmm5OPpG2HaGWk=\r\n\r\n",
        frame,
        b"\x88\x02\x03\xe8",
    ),
)


def serve(listener: socket.socket, transport: Transport, events: int, rate_per_s: float) -> None:
    """Answers one request with all the events, no faster than at the given rate."""
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(transport.head)
        began_at = time.monotonic()
        for start in range(0, events, BATCH):
            numbers = range(start, min(start + BATCH, events))
            time.sleep(max(0, began_at + start / rate_per_s - time.monotonic()))
            connection.sendall(b"".join(map(transport.event, numbers)))
        connection.sendall(transport.last)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass


def resident_bytes(pid: int) -> int:
    statm = Path(f"/proc/{pid}/statm")
    if not statm.exists():
        return 0
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(
    kind: str, transport: Transport, events: int, folder: Path, rate_per_s: float = math.inf
) -> Result:
    """Sends the events through one proxy and checks that all of them arrived."""
    tape = folder / f"{kind}-{transport.name}-{time.monotonic_ns()}.db"
    proxy = subprocess.Popen(
        [sys.executable, str(REPOSITORY / "benchmarks" / "capture_proxy.py"), kind, str(tape)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
    )
    assert proxy.stdout is not None
    assert proxy.stdin is not None
    try:
        port = int(proxy.stdout.readline())
        with socket.create_server(("127.0.0.1", 0)) as listener:
            told = (listener, transport, events, rate_per_s)
            serving = threading.Thread(target=serve, args=told)
            serving.start()
            result = read(port, listener.getsockname()[1], transport, events, proxy.pid)
            serving.join()
        if kind == "bare":
            proxy.terminate()
        proxy.stdin.close()
        proxy.wait()
    finally:
        proxy.kill()
    if kind == "recorder":
        check(tape, transport, events)
        tape.unlink()
    return result


def read(port: int, upstream: int, transport: Transport, events: int, pid: int) -> Result:
    received = 0
    with socket.create_connection(("127.0.0.1", port)) as client:
        request = transport.request.format(port=upstream) + f"host: 127.0.0.1:{upstream}\r\n\r\n"
        client.sendall(request.encode())
        received += len(client.recv(READ_BYTES))
        before = peak = resident_bytes(pid)
        began_at = sampled_at = time.monotonic()
        expected = events * len(transport.event(0))
        while received < expected:
            data = client.recv(READ_BYTES)
            if not data:
                raise SystemExit(f"the stream broke off after {received} bytes")
            received += len(data)
            if time.monotonic() - sampled_at > 0.05:
                sampled_at = time.monotonic()
                peak = max(peak, resident_bytes(pid))
        took_s = time.monotonic() - began_at
    return Result(events / took_s, max(peak, resident_bytes(pid)) - before)


def check(tape: Path, transport: Transport, events: int) -> None:
    """Every event is on the tape."""
    with TapeReader(tape) as reader:
        (exchange,) = reader.exchanges()
        if transport.name == "SSE":
            kept = exchange.size_bytes
            expected = events * len(b"event: response.output_text.delta\ndata: \n\n" + EVENT % 0)
        else:
            kept = sum(
                piece.kind is PieceKind.TEXT and piece.sender is Sender.SERVER
                for piece in reader.pieces(exchange.id)
            )
            expected = events
        assert kept == expected, (kept, expected, reader.gaps())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, default=100_000, help="of each run for speed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=200, help="of the run for memory")
    given = parser.parse_args()
    size_bytes = len(EVENT % 0)
    many = given.megabytes * 1_000_000 // size_bytes
    print(f"speed: {given.rounds} rounds of {given.events:,} events of {size_bytes} bytes")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for transport in TRANSPORTS:
            bare, ours = [], []
            for _ in range(given.rounds):
                bare.append(run("bare", transport, given.events, folder))
                ours.append(run("recorder", transport, given.events, folder))
            report(transport.name, bare, ours)
        print(f"memory: {many:,} events, {given.megabytes} MB, at {RATE_PER_S:,} events/s or less")
        for transport in TRANSPORTS:
            result = run("recorder", transport, many, folder, RATE_PER_S)
            print(f"{transport.name:10} recorder +{result.growth_bytes / 1e6:.0f} MB")


def report(name: str, bare: list[Result], ours: list[Result]) -> None:
    for kind, results in (("bare mitmproxy", bare), ("recorder", ours)):
        speed = statistics.median(result.events_per_s for result in results)
        growth = max(result.growth_bytes for result in results)
        print(f"{name:10} {kind:15} {speed:9,.0f} events/s   memory +{growth / 1e6:.0f} MB")
    ratios = [r.events_per_s / b.events_per_s for b, r in zip(bare, ours, strict=True)]
    spread = f"({min(ratios):.2f} to {max(ratios):.2f})"
    print(f"{name:10} {'ratio':15} {statistics.median(ratios):9.2f}   {spread}")


if __name__ == "__main__":
    main()
