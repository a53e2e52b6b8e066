"""How fast a replay is at full speed, and how exact at the recorded pace.

    python benchmarks/replay.py

Measures ``wiretape replay``, as a user runs it, over keep-alive connections from this process:
streams of events a second, beside a server that does nothing but write the same bytes (raw
asyncio, 16 events a write) in the same run. Client and server share the machine, so read the
ratios. Then the recorded pace: how far from its recorded time after the request an event arrives,
and how far the gap between two events is off, client and all.
"""

import argparse
import asyncio
import json
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_writer import TapeLabel, TapeWriter

_WIRETAPE: Final = str(Path(sys.executable).with_name("wiretape"))
_CONNECTIONS: Final = 8
_EVENTS_A_WRITE: Final = 16
_GAP_US: Final = 20_000
_BODY: Final = json.dumps(
    {
        "model": "gpt-5.2-codex",
        "instructions": "Be brief. " * 1500,
        "input": [{"type": "message", "role": "user", "content": "Say something long."}],
        "stream": True,
    }
).encode()
_REQUEST: Final = (
    b"POST /v1/responses HTTP/1.1\r\nHost: replay\r\nContent-Type: application/json\r\n"
    b"session_id: 01990000-aaaa-7000-8000-000000000001\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(_BODY), _BODY)
)
_HEAD: Final = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
_LAST: Final = b"\r\n0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Load:
    """So many streams of so many events each."""

    streams: int
    events: int


def event(number: int) -> bytes:
    """An event of the usual size."""
    delta = {
        "type": "response.output_text.delta",
        "item_id": "msg_0123456789abcdef0123456789abcdef0123456789abcdef01",
        "output_index": 0,
        "content_index": 0,
        "delta": f" word{number}",
        "sequence_number": number,
    }
    return f"event: {delta['type']}\ndata: {json.dumps(delta)}\n\n".encode()


def facts(load: Load) -> Iterator[Fact]:
    """The recording of a load, an event every 20 ms."""
    for number in range(1, load.streams + 1):
        at_us = number
        headers = (
            ("content-type", "application/json"),
            ("session_id", "01990000-aaaa-7000-8000-000000000001"),
        )
        yield RequestHead(
            number, at_us, number, "POST", "https", "api.openai.com", 443, "/v1/responses",
            "HTTP/1.1", headers,
        )  # fmt: skip
        yield RequestBody(number, at_us, _BODY)
        head = (("content-type", "text/event-stream"),)
        yield ResponseHead(number, at_us, 200, "OK", "HTTP/1.1", head)
        for each in range(load.events):
            at_us += _GAP_US
            yield Piece(number, at_us, Sender.SERVER, PieceKind.CHUNK, event(each))
        yield End(number, at_us, EndKind.COMPLETE)


def record(load: Load, path: Path) -> Path:
    """Writes the tape of a load."""
    label = TapeLabel("record", 0, "fixed")
    with TapeWriter(path, label, on_trouble=print, limit_bytes=1 << 40) as tape:
        for fact in facts(load):
            tape.put(fact)
    return path


@asynccontextmanager
async def server(*command: str) -> AsyncIterator[int]:
    """Runs a server while the context lasts; gives the port that it names on stderr."""
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = (await process.stderr.readline()).decode()
        yield int(line.partition("127.0.0.1:")[2].partition(",")[0])
    finally:
        process.send_signal(signal.SIGINT)
        await process.communicate()


async def write_only(events: int) -> None:
    """The baseline: reads requests of one known size, writes the same bytes for each."""
    chunks = [b"%x\r\n%b\r\n" % (len(data), data) for data in map(event, range(events))]
    writes = [
        b"".join(chunks[at : at + _EVENTS_A_WRITE]) for at in range(0, events, _EVENTS_A_WRITE)
    ]

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readexactly(len(_REQUEST))
                writer.write(_HEAD)
                for data in writes:
                    writer.write(data)
                    await writer.drain()
                writer.write(_LAST[2:])
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    print(f"writing at 127.0.0.1:{port}, ...", file=sys.stderr, flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    await stop.wait()


async def streams_a_second(port: int, load: Load) -> float:
    """Asks for every stream over a few connections, and reads each to its end."""
    left = iter(range(load.streams))

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 24)
        for _ in left:
            writer.write(_REQUEST)
            answer = await reader.readuntil(_LAST)
            assert answer.startswith(b"HTTP/1.1 200"), answer[:200]
            assert answer.count(b"event: ") == load.events
        writer.close()
        await writer.wait_closed()

    began_s = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(_CONNECTIONS)))
    return load.streams / (time.perf_counter() - began_s)


async def arrivals_s(port: int, load: Load) -> list[list[float]]:
    """When each event arrived, counted from when it was asked for; all streams at once."""

    async def client() -> list[float]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(_REQUEST)
        asked_s = time.perf_counter()
        arrived_s = []
        for _ in range(load.events):
            await reader.readuntil(b"\n\n")
            arrived_s.append(time.perf_counter() - asked_s)
        await reader.readuntil(_LAST)
        writer.close()
        await writer.wait_closed()
        return arrived_s

    return await asyncio.gather(*(client() for _ in range(load.streams)))


async def wakings_s(load: Load) -> list[list[float]]:
    """The noise of the machine: when timers set for the same times go off, without any replay."""

    async def timer() -> list[float]:
        began_s = time.perf_counter()
        woken_s = []
        for count in range(1, load.events + 1):
            await asyncio.sleep(began_s + _GAP_US * count / 1e6 - time.perf_counter())
            woken_s.append(time.perf_counter() - began_s)
        return woken_s

    return await asyncio.gather(*(timer() for _ in range(load.streams)))


def percentiles(errors_ms: Iterable[float]) -> str:
    """``p50 0.12 ms, p99 1.20 ms, worst 2.40 ms``."""
    ordered = sorted(errors_ms)
    p50, p99 = (ordered[int(len(ordered) * share)] for share in (0.5, 0.99))
    return f"p50 {p50:5.2f} ms, p99 {p99:5.2f} ms, worst {ordered[-1]:5.2f} ms"


async def measure_speed(load: Load, tape: Path) -> None:
    """Prints one line: replay, baseline, ratio."""
    async with server(_WIRETAPE, "replay", str(tape)) as port:
        replayed = await streams_a_second(port, load)
    async with server(sys.executable, __file__, "--write-only", str(load.events)) as port:
        written = await streams_a_second(port, load)
    print(
        f"{load.events:>5} events a stream: {replayed:8.1f} streams/s"
        f" ({replayed * load.events:10,.0f} events/s), writing alone {written:8.1f},"
        f" ratio {replayed / written:.2f}"
    )


async def measure_pace(load: Load, tape: Path) -> None:
    """Prints how late events arrive and how far the gaps between them are off, beside timers."""
    async with server(_WIRETAPE, "replay", str(tape), "--speed", "1") as port:
        streams = await arrivals_s(port, load)
    print(f"{load.streams} streams at once, an event every {_GAP_US // 1000} ms, is off by")
    for what, times in (("replay", streams), ("timers alone", await wakings_s(load))):
        gap_s = _GAP_US / 1e6
        late = (abs(at - gap_s * count) * 1e3 for each in times for count, at in enumerate(each, 1))
        gaps = (abs(b - a - gap_s) * 1e3 for each in times for a, b in pairwise(each))
        print(f"  {what:<12}  arrival {percentiles(late)};  gap {percentiles(gaps)}")


async def measure(loads: Iterable[Load], paced: Iterable[Load]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for load in loads:
            await measure_speed(load, record(load, Path(folder) / f"{load.events}.db"))
        for load in paced:
            await measure_pace(load, record(load, Path(folder) / f"paced-{load.streams}.db"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write-only", type=int, metavar="EVENTS", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.write_only is not None:
        asyncio.run(write_only(arguments.write_only))
    else:
        paced = Load(1, 200), Load(50, 100)
        asyncio.run(measure((Load(2000, 50), Load(200, 2000)), paced))


if __name__ == "__main__":
    main()
