"""How fast the inspector answers on a tape with a million events, and on many tapes.

    python benchmarks/inspector.py                  builds the tape, reads it, prints a table
    python benchmarks/inspector.py --keep FOLDER    the same, and keeps tape and index for next time
    python benchmarks/inspector.py --tapes 1000     so many tapes as the second case
    python benchmarks/inspector.py --events 0       only that one

The tape holds one session: a socket with half of the events in 250 requests, then HTTP requests
with 1,000 events each. The second case is a folder of tapes with a request each. Every answer is
timed on the server, without a network, after the first reading: as long as it took, and how much of
that it worked. The limits are 200 ms of work, which is what a machine without other work takes, and
500 kB.
"""

import argparse
import json
import os
import random
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from inspector_web.access import Access
from inspector_web.app import create_app
from inspector_web.library import Library
from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_writer import TapeLabel, TapeWriter

MOST_MS = 200
MOST_BYTES = 500_000
MOST_MS_OF = {"two sessions compared": 3000}
"""That page reads both sessions whole; longer ones are left to the command line."""
ROUNDS = 5
REQUESTS_ON_SOCKET = 250
EVENTS_OF_RESPONSE = 1000
EVENTS_OF_ONE_OF_MANY = 100
EVENTS_OF_SHORT = 10_000
"""On a second tape, for what compares two sessions."""
LIVE = ("sessions", "timeline, whole", "events, last page", "received by an instant")
LABEL = TapeLabel("record", 1_767_323_045_000_000, "monotonic", '["codex", "exec"]')
AGENT: Headers = (("user-agent", "codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown"),)
SESSION: Headers = (("session_id", "0199-bench"),)
UPGRADE: Headers = (("connection", "Upgrade"), ("upgrade", "websocket"))
STREAM: Headers = (("content-type", "text/event-stream"),)
WORDS = ("the", "model", "reads", "a file,", "finds", "the cause", "and says", "what", "it changed")


class Maker:
    """Makes the facts of the tape, its clock included."""

    def __init__(self) -> None:
        self.now_us = 0
        self.items: list[dict[str, Any]] = []
        self._random = random.Random(1)

    def tick(self, us: int = 2000) -> int:
        self.now_us += self._random.randrange(us // 2, us * 2)
        return self.now_us

    def asked(self) -> bytes:
        """A request that repeats the last part of the conversation, with one message more."""
        number = len(self.items)
        text = f"Look into file {number} of the project and mend what is wrong in it."
        self.items.append(
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        )
        return json.dumps({"model": "gpt-5.2-codex", "input": self.items[-20:]}).encode()

    def answer(self, number: int, events: int) -> Iterator[bytes]:
        """The events of one response."""
        name = f"resp_{number:08x}"
        yield json.dumps({"type": "response.created", "response": {"id": name}}).encode()
        item = {"id": f"rs_{number:08x}", "type": "reasoning", "summary": []}
        yield json.dumps({"type": "response.output_item.added", "item": item}).encode()
        for at in range(events - 5):
            if at == (events - 5) // 3:
                yield json.dumps({"type": "response.output_item.done", "item": item}).encode()
                item = {"id": f"msg_{number:08x}", "type": "message", "content": []}
                yield json.dumps({"type": "response.output_item.added", "item": item}).encode()
            kind = "reasoning_summary_text" if item["type"] == "reasoning" else "output_text"
            delta = {
                "type": f"response.{kind}.delta",
                "item_id": item["id"],
                "output_index": 0,
                "content_index": 0,
                "summary_index": 0,
                "delta": f"{self._random.choice(WORDS)} ",
                "sequence_number": at,
                "obfuscation": f"{self._random.getrandbits(40):x}",
            }
            yield json.dumps(delta).encode()
        usage = {"input_tokens": 9000, "output_tokens": events, "total_tokens": 9000 + events}
        done = {"type": "response.completed", "response": {"id": name, "usage": usage}}
        yield json.dumps(done).encode()

    def head(self, exchange: int, more: Headers) -> RequestHead:
        is_socket = more is UPGRADE
        return RequestHead(
            exchange,
            self.tick(),
            exchange,
            "GET" if is_socket else "POST",
            "https",
            "api.openai.com",
            443,
            "/v1/responses",
            "HTTP/1.1",
            AGENT + SESSION + more,
        )

    def socket(self, events: int) -> Iterator[Fact]:
        yield self.head(1, UPGRADE)
        yield ResponseHead(1, self.tick(), 101, "Switching Protocols", "HTTP/1.1", UPGRADE)
        for number in range(REQUESTS_ON_SOCKET):
            self.tick(2_000_000)
            asked = json.loads(self.asked()) | {"type": "response.create"}
            data = json.dumps(asked).encode()
            yield Piece(1, self.tick(), Sender.CLIENT, PieceKind.TEXT, data)
            for event in self.answer(number, events // REQUESTS_ON_SOCKET):
                yield Piece(1, self.tick(), Sender.SERVER, PieceKind.TEXT, event)
        yield End(1, self.tick(), EndKind.WEBSOCKET_CLOSED, Sender.SERVER, 1011, "try again")

    def post(self, exchange: int, events: int) -> Iterator[Fact]:
        self.tick(2_000_000)
        yield self.head(exchange, ())
        yield RequestBody(exchange, self.tick(), self.asked())
        yield ResponseHead(exchange, self.tick(), 200, "OK", "HTTP/1.1", STREAM)
        for event in self.answer(exchange * 1000, events):
            data = b"data: " + event + b"\n\n"
            yield Piece(exchange, self.tick(), Sender.SERVER, PieceKind.CHUNK, data)
        yield End(exchange, self.tick(), EndKind.COMPLETE)


def build(path: Path, events: int) -> None:
    """Writes the tape."""
    maker = Maker()
    with TapeWriter(path, LABEL, on_trouble=print, limit_bytes=1 << 40) as writer:
        for fact in maker.socket(events // 2):
            writer.put(fact)
        for number in range(events // 2 // EVENTS_OF_RESPONSE):
            for fact in maker.post(number + 2, EVENTS_OF_RESPONSE):
                writer.put(fact)


def build_many(folder: Path, tapes: int) -> None:
    """Writes tapes with a request each, of one conversation."""
    folder.mkdir()
    maker = Maker()
    for number in range(tapes):
        with TapeWriter(folder / f"{number:04}.db", LABEL, on_trouble=print) as writer:
            for fact in maker.post(1, EVENTS_OF_ONE_OF_MANY):
                writer.put(fact)


ADDRESSES_OF_MANY = {
    "sessions": "/sessions",
    "sessions, filtered": "/sessions?text=file+77+of",
    "whether the list has grown": "/growth",
    "sessions to compare": "/compare",
    "search, common words": "/search?text=finds+the+cause",
    "search, one place": "/search?text=file+77+of+the+project",
    "search, two letters": "/search?text=zq",
    "search, nothing": "/search?text=nowhere+to+be+found",
}


def addresses(client: FlaskClient) -> dict[str, str]:
    """What is asked for, by what it is."""
    session = "/tapes/bench/sessions/1"
    late_us = client.get("/tapes/bench/sessions/1.json").get_json()["drawing"]["whole"]["end_us"]
    events = "/tapes/bench/events?session=1"
    return {
        "sessions": "/sessions",
        "timeline, whole": session,
        "timeline, zoomed": f"{session}?from={late_us // 2}&to={late_us // 2 + 10**7}",
        "timeline, one lane": f"{session}?from={late_us - 10**6}&to={late_us}",
        "events, first page": events,
        "events, middle page": f"{events}&after={late_us // 2}.1.0",
        "events, last page": f"{events}&before={late_us}.9999999.0",
        "events at a row": f"{events}&go=500000",
        "events at a time": f"{events}&go={late_us // 2_000_000}s",
        "events of a type": f"{events}&type=completed",
        "events of a type, at a row": f"{events}&type=delta&go=400000",
        "events to the server, at a row": f"{events}&sender=client&go=400",
        "events of a type, late": f"{events}&type=create&after={late_us // 3}.1.0",
        "events to the server": f"{events}&sender=client",
        "events with a text": f"{events}&text=resp_0003d090",
        "events with no such text": f"{events}&text=nowhere+to+be+found",
        "events by a pattern": f"{events}&regex=on&text=file+2%5B45%5D0+of",
        "one late event": "/tapes/bench/exchanges/1/events/450000",
        "one request": f"{session}/requests/200/attempts/1",
        "one beside another": f"{session}/requests/700/attempts/1?to=100",
        "a turn": f"{session}/turns/1",
        "a late turn": f"{session}/turns/700",
        "replay from a session": f"{session}/again",
        "replay from an event": f"{session}/again?request=700&attempt=1&event=500",
        "sessions to compare": "/compare",
        "two sessions compared": "/compare?a=short/1&b=short/1",
        "too long to compare": "/compare?a=bench/1&b=short/1",
        "search, common words": "/search?text=finds+the+cause",
        "search, one place": "/search?text=file+321+of+the+project",
        "search, nothing": "/search?text=nowhere+to+be+found",
        "received by an instant": f"{session}/received?at={late_us // 3}",
        "events with a common text": f"{events}&text=the+cause",
        "how many hold it": "/tapes/bench/events/found?session=1&text=the+cause",
    }


def measure(client: FlaskClient, address: str) -> tuple[float, float, int]:
    """Milliseconds it took and worked (medians of some rounds), and bytes of an answer."""
    took_ms: list[float] = []
    worked_ms: list[float] = []
    for _ in range(ROUNDS):
        # What is read meanwhile in another thread is no work of this answer.
        began_at, worked_at = time.perf_counter(), time.thread_time()
        answer = client.get(address)
        took_ms.append((time.perf_counter() - began_at) * 1000)
        worked_ms.append((time.thread_time() - worked_at) * 1000)
        assert answer.status_code == 200, (address, answer.status_code, answer.text[:300])
    return statistics.median(took_ms), statistics.median(worked_ms), len(answer.data)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--tapes", type=int, default=300)
    parser.add_argument("--keep", type=Path, help="a folder for the tape and its index")
    given = parser.parse_args()
    with nullcontext(given.keep) if given.keep else tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.mkdir(exist_ok=True)
        slow = slow_of_many(folder, given.tapes) if given.tapes else []
        slow += slow_of_one(folder, given.events) if given.events else []
    return 1 if slow else 0


def slow_of_many(folder: Path, tapes: int) -> list[str]:
    """What was too slow on many tapes."""
    many = folder / "many"
    if not many.exists():
        build_many(many, tapes)
    client = client_of([many], folder / "index of many")
    began_at, worked_at = time.perf_counter(), time.process_time()
    while client.get("/sessions.json").get_json()["unread"]:
        time.sleep(0.5)
    worked_s = time.process_time() - worked_at
    print(f"{tapes} tapes read in {since(began_at)} ({worked_s:.0f} s of work)")
    slow = [what for what, at in ADDRESSES_OF_MANY.items() if not is_within(client, what, at)]
    search_all(client)
    return slow


def search_all(client: FlaskClient) -> None:
    """Goes on with a search that finds nothing until all tapes are searched."""
    began_at, worked_at = time.perf_counter(), time.thread_time()
    query: dict[str, str] = {"text": "nowhere to be found"}
    answers = 0
    while True:
        answers += 1
        page = client.get("/search.json", query_string=query).get_json()
        if page["next_tape"] is None:
            break
        query["after_tape"] = page["next_tape"]
    worked_ms = (time.thread_time() - worked_at) * 1000
    took = f"{answers} answers in {since(began_at)}"
    print(f"all searched for nothing: {took}, {worked_ms:.0f} ms of work")


def client_of(tapes: list[Path], indexes: Path) -> FlaskClient:
    """A browser of these tapes, without a network."""
    app = create_app(Library(tapes), Access("127.0.0.1", None), indexes)
    app.testing = True
    return app.test_client()


def slow_of_one(folder: Path, events: int) -> list[str]:
    """What was too slow on a tape with so many events."""
    tape = folder / "bench.db"
    if not tape.exists():
        began_at = time.perf_counter()
        build(tape, events)
        print(f"tape of {events:,} events written in {since(began_at)}")
    short = folder / "short.db"
    if not short.exists():
        build(short, EVENTS_OF_SHORT)
    client = client_of([tape, short], folder / "index")
    began_at, worked_at = time.perf_counter(), time.process_time()
    read_whole(client, "/tapes/bench/sessions/1")
    worked_s = time.process_time() - worked_at
    read_whole(client, "/tapes/short/sessions/1")
    index_bytes = sum(each.stat().st_size for each in (folder / "index").iterdir())
    print(
        f"first reading in {since(began_at)} ({worked_s:.0f} s of work): "
        f"tape {tape.stat().st_size / 1e6:.0f} MB, index {index_bytes / 1e6:.0f} MB"
    )
    asked = addresses(client)
    slow = [what for what, address in asked.items() if not is_within(client, what, address)]
    with written(tape):
        live = {f"{what}, live": asked[what] for what in LIVE}
        slow += [what for what, address in live.items() if not is_within(client, what, address)]
    return slow


def is_within(client: FlaskClient, what: str, address: str) -> bool:
    """Measures one answer and prints its line."""
    took_ms, worked_ms, size_bytes = measure(client, address)
    is_slow = worked_ms > MOST_MS_OF.get(what, MOST_MS) or size_bytes > MOST_BYTES
    print(
        f"{what:30} {took_ms:7.0f} ms, {worked_ms:4.0f} of work {size_bytes / 1000:7.0f} kB"
        f"{'   over the limit' if is_slow else ''}"
    )
    return not is_slow


@contextmanager
def written(tape: Path) -> Iterator[None]:
    """Has the tape as one that is being written and has grown since it was read."""
    before = tape.stat()
    with closing(sqlite3.connect(tape)) as connection, connection:
        connection.execute("UPDATE tape SET is_closed = 0")
    try:
        yield
    finally:
        with closing(sqlite3.connect(tape)) as connection, connection:
            connection.execute("UPDATE tape SET is_closed = 1")
        os.utime(tape, ns=(before.st_atime_ns, before.st_mtime_ns))


def read_whole(client: FlaskClient, address: str) -> None:
    """Waits until a tape has been read."""
    while client.get(address).status_code == 503:
        pass


def since(began_at: float) -> str:
    return f"{time.perf_counter() - began_at:.1f} s"


if __name__ == "__main__":
    raise SystemExit(main())
