"""A disk without room and streams without end: the traffic and the machine's memory stay as is."""

import base64
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from provider import Provider
from provider_script import Reply, Script, Written
from raw_sockets import RawServer, read_request, see, tunnelled
from record_command import CLIENT, record, recording_alone
from recorded import gaps, recorded, wait_for
from small_disk import small_disk

from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

MEGABYTE = 1 << 20
STREAM_BYTES = 100 * MEGABYTE
GROWTH_BYTES = 40 * MEGABYTE
"""More than any buffer on the way holds, and much less than the stream."""


def test_a_full_disk_does_not_reach_the_command(tmp_path: Path) -> None:
    """The client gets all of its stream; the tape holds the beginning, the end and a gap."""
    events = tuple(base64.b64encode(os.urandom(36_000)).decode() for _ in range(60))
    script = Script(posts=(Reply(Written(events), pause_s=0.01),))
    with small_disk(tmp_path / "disk", 1_500_000) as disk, Provider(script) as provider:
        tape = disk / "t.db"
        url = f"{provider.base_url}/responses"
        run = record(tmp_path, "-o", str(tape), "--", *CLIENT, url, "6")
        (found,) = recorded(tape)
        lost = gaps(tape)
    body = "".join(f"data: {event}\n\n" for event in events)
    assert run.returncode == 6
    assert run.stdout == f"200 {body}\n"
    assert found.end.how is EndKind.COMPLETE
    assert len(found.data) > 36_000
    assert body.encode().startswith(found.data)
    assert len(found.data) + sum(gap.lost_bytes for gap in lost) == len(body)
    first, *_, summary = run.stderr.splitlines()
    assert first.startswith(f"wiretape: the tape {tape} cannot be written (")
    assert f"({len(body) - len(found.data)} bytes) are lost" in run.stderr
    assert summary.startswith(f"wiretape: the tape is {tape}: ")


@contextmanager
def recorder_alone(folder: Path) -> Iterator[tuple[tuple[str, int], int]]:
    """A recorder in a process of its own: its address, and its process id."""
    with recording_alone(folder, "-o", str(folder / "t.db")) as (process, said):
        port = said.partition("the proxy is http://127.0.0.1:")[2].split(".")[0]
        yield ("127.0.0.1", int(port)), process.pid
        process.terminate()
        assert process.wait(60) == 0


def resident_bytes(pid: int) -> int:
    """What a process holds in memory."""
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Stream:
    """A transport: what is asked, the head that answers, and a piece of the stream."""

    name: str
    asked: bytes
    head: bytes
    piece: bytes


TEXT = base64.b64encode(os.urandom(12_000))
STREAMS = (
    Stream(
        "sse",
        b"POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
        b"%x\r\n%b\r\n" % (len(TEXT), TEXT),
    ),
    Stream(
        "websocket",
        b"GET /v1/responses HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n",
        b"\x81\x7e" + len(TEXT).to_bytes(2) + TEXT,
    ),
)
PIECES = STREAM_BYTES // len(TEXT)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: stream.name)
def test_memory_stays_flat(tmp_path: Path, stream: Stream) -> None:
    """100 MB through one stream, read as fast as the tape is written: growth stays below 40."""

    def serve(connection: socket.socket) -> None:
        read_request(connection)
        connection.sendall(stream.head)
        for _ in range(PIECES):
            connection.sendall(stream.piece)
        see(connection)

    tape = tmp_path / "t.db"
    with (
        RawServer(serve) as server,
        recorder_alone(tmp_path) as (address, pid),
        tunnelled(address, "127.0.0.1", server.port) as client,
    ):
        client.sendall(stream.asked)
        received = len(client.recv(100))
        before = peak = resident_bytes(pid)
        while received < PIECES * len(stream.piece):
            received += len(client.recv(MEGABYTE))
            peak = max(peak, resident_bytes(pid))
            if not has_kept(tape, received - 16 * MEGABYTE):
                # Without a pause the writer's queue would fill; that limit has its own test.
                wait_for(partial(has_kept, tape, received - 8 * MEGABYTE))
    (found,) = recorded(tape)
    assert peak - before < GROWTH_BYTES
    assert len(found.data) == PIECES * len(TEXT)
    assert gaps(tape) == []


def has_kept(tape: Path, size_bytes: int) -> bool:
    """Whether that much is on the tape already."""
    with TapeReader(tape) as reader:
        return sum(exchange.size_bytes for exchange in reader.exchanges()) >= size_bytes
