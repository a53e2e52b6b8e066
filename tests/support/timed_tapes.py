"""Tapes built fact by fact, with every time written out in the test.

Times are milliseconds since the tape began. A ``TapeMaker`` gathers facts and puts them through
the real ``TapeWriter`` in the order of their times::

    maker = TapeMaker(tmp_path / "tape.db")
    post = maker.post(0, ask("hi"))
    post.head(10)
    post.events(20, created("resp_1"), completed("resp_1"))
    post.end(30)
    with maker.read() as reader:
        ...
"""

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Gap,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeLabel, TapeWriter

type Json = dict[str, Any]

BEGAN_US = 1_767_323_045_000_000  # 2026-01-02T03:04:05Z
LABEL = TapeLabel("record", BEGAN_US, "monotonic", '["codex", "exec"]')
OLD_CODEX = "codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown"
NEW_CODEX = "codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)"
UPGRADE: Headers = (("Connection", "Upgrade"), ("Upgrade", "websocket"))
EVENT_STREAM: Headers = (("content-type", "text/event-stream"),)
JSON_BODY: Headers = (("content-type", "application/json"),)


def us(at_ms: float) -> int:
    """Milliseconds as the tape counts them."""
    return round(at_ms * 1000)


@dataclass(slots=True)
class HttpMaker:
    """One HTTP exchange being written."""

    maker: "TapeMaker"
    exchange: int

    def head(self, at_ms: float, status: int = 200, headers: Headers = EVENT_STREAM) -> None:
        """The response's head."""
        head = ResponseHead(self.exchange, us(at_ms), status, _PHRASES[status], "HTTP/1.1", headers)
        self.maker.facts.append(head)

    def chunk(self, at_ms: float, data: bytes) -> None:
        """Body bytes."""
        piece = Piece(self.exchange, us(at_ms), Sender.SERVER, PieceKind.CHUNK, data)
        self.maker.facts.append(piece)

    def events(self, at_ms: float, *events: Json | str) -> None:
        """Server-sent events in one chunk; a ``str`` is an event's data as it stands."""
        self.chunk(at_ms, b"".join(map(sse, events)))

    def end(
        self, at_ms: float, how: EndKind = EndKind.COMPLETE, side: Sender | None = None
    ) -> None:
        """The exchange is over."""
        self.maker.facts.append(End(self.exchange, us(at_ms), how, side))

    def answer(self, at_ms: float, *events: Json | str) -> None:
        """A whole answer: head, the events a millisecond later, the end a millisecond after."""
        self.head(at_ms)
        self.events(at_ms + 1, *events)
        self.end(at_ms + 2)

    def refuse(self, at_ms: float, status: int, body: Json | str = "", *more: Headers) -> None:
        """A whole answer with a status and a body that is no stream."""
        text = body if isinstance(body, str) else json.dumps(body)
        self.head(at_ms, status, sum(more, JSON_BODY))
        if text:
            self.chunk(at_ms + 1, text.encode())
        self.end(at_ms + 1)


@dataclass(slots=True)
class SocketMaker:
    """One WebSocket being written."""

    maker: "TapeMaker"
    exchange: int

    def ask(self, at_ms: float, message: Json, *, kind: str = "response.create") -> None:
        """A message of the client."""
        text = json.dumps({"type": kind} | message).encode()
        self._piece(at_ms, Sender.CLIENT, PieceKind.TEXT, text)

    def say(self, at_ms: float, *messages: Json | str) -> None:
        """Messages of the server; a ``str`` is a message's text as it stands."""
        for message in messages:
            text = message if isinstance(message, str) else json.dumps(message)
            self._piece(at_ms, Sender.SERVER, PieceKind.TEXT, text.encode())

    def frame(
        self, at_ms: float, kind: PieceKind, data: bytes = b"", sender: Sender = Sender.SERVER
    ) -> None:
        """Any other piece: a ping, a pong, a binary message."""
        self._piece(at_ms, sender, kind, data)

    def close(
        self, at_ms: float, code: int, reason: str = "", side: Sender = Sender.SERVER
    ) -> None:
        """A close frame, and the end that it is."""
        self._piece(at_ms, side, PieceKind.CLOSE, code.to_bytes(2) + reason.encode())
        closed = EndKind.WEBSOCKET_CLOSED
        self.maker.facts.append(End(self.exchange, us(at_ms), closed, side, code, reason))

    def end(
        self,
        at_ms: float,
        how: EndKind,
        side: Sender | None = None,
        code: int | None = None,
        reason: str | None = None,
    ) -> None:
        """The socket is over; of a close frame, its code and reason."""
        self.maker.facts.append(End(self.exchange, us(at_ms), how, side, code, reason))

    def _piece(self, at_ms: float, sender: Sender, kind: PieceKind, data: bytes) -> None:
        self.maker.facts.append(Piece(self.exchange, us(at_ms), sender, kind, data))


@dataclass(slots=True)
class TapeMaker:
    """Gathers the facts of a tape that is to lie at ``path``.

    ``agent`` is the user agent of every request, ``None`` for none. ``is_cut_off``: the tape is
    left as by a recorder that was killed.
    """

    path: Path
    agent: str | None = OLD_CODEX
    label: TapeLabel = LABEL
    facts: list[Fact] = field(default_factory=list)
    exchanges: int = 0
    is_cut_off: bool = False

    def post(
        self,
        at_ms: float,
        body: Json | bytes,
        headers: Headers = (),
        *,
        target: str = "/v1/responses",
        connection: int | None = None,
    ) -> HttpMaker:
        """A POST, head and body at once. ``connection`` is a new one unless given."""
        http = self._begin(at_ms, "POST", target, headers, connection)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.facts.append(RequestBody(http.exchange, us(at_ms), data))
        return http

    def get(
        self, at_ms: float, target: str, headers: Headers = (), *, connection: int | None = None
    ) -> HttpMaker:
        """A GET."""
        return self._begin(at_ms, "GET", target, headers, connection)

    def upgrade(
        self, at_ms: float, headers: Headers = (), *, target: str = "/v1/responses"
    ) -> HttpMaker:
        """A handshake that is yet to be answered."""
        return self._begin(at_ms, "GET", target, UPGRADE + headers, None)

    def socket(
        self, at_ms: float, headers: Headers = (), *, target: str = "/v1/responses"
    ) -> SocketMaker:
        """A WebSocket, opened a millisecond after it was asked for."""
        handshake = self.upgrade(at_ms, headers, target=target)
        handshake.head(at_ms + 1, 101, UPGRADE)
        return SocketMaker(self, handshake.exchange)

    def gap(
        self, at_ms: float, until_ms: float, exchange: int | None = None, lost_facts: int = 1
    ) -> None:
        """Something that crossed and is not on the tape."""
        gap = Gap(us(at_ms), us(until_ms), exchange, lost_facts, 100, "a test left it out")
        self.facts.append(gap)

    def write(self) -> Path:
        """Puts the facts on the tape, in the order of their times."""
        with TapeWriter(self.path, self.label, on_trouble=_fail) as writer:
            for fact in sorted(self.facts, key=lambda fact: fact.at_us):
                writer.put(fact)
        if self.is_cut_off:
            with closing(sqlite3.connect(self.path)) as tape, tape:
                tape.execute("UPDATE tape SET is_closed = 0")
        return self.path

    def open(self) -> TapeReader:
        """Opens the tape that was written."""
        return TapeReader(self.path)

    def read(self) -> TapeReader:
        """Writes the tape and opens it."""
        self.write()
        return self.open()

    def _begin(
        self, at_ms: float, method: str, target: str, headers: Headers, connection: int | None
    ) -> HttpMaker:
        self.exchanges += 1
        agent: Headers = () if self.agent is None else (("user-agent", self.agent),)
        head = RequestHead(
            self.exchanges,
            us(at_ms),
            self.exchanges if connection is None else connection,
            method,
            "https",
            "api.openai.com",
            443,
            target,
            "HTTP/1.1",
            agent + headers,
        )
        self.facts.append(head)
        return HttpMaker(self, self.exchanges)


_PHRASES: Mapping[int, str] = {
    101: "Switching Protocols",
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    408: "Request Timeout",
    426: "Upgrade Required",
    429: "Too Many Requests",
    500: "Internal Server Error",
    502: "Bad Gateway",
    503: "Service Unavailable",
}


def _fail(trouble: str) -> None:
    raise AssertionError(trouble)


def session(name: str) -> Headers:
    """The header by which the older Codex names its session."""
    return (("session_id", name),)


# What is asked.


def message(text: str, role: str = "user") -> Json:
    """A message item."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def reasoning(text: str = "a thought") -> Json:
    """A reasoning item."""
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}


def call(call_id: str, name: str = "exec_command", arguments: str = "{}", **more: Any) -> Json:
    """A function call item."""
    item = {"type": "function_call", "name": name, "arguments": arguments, "call_id": call_id}
    return item | more


def output(call_id: str, text: Any = "done", kind: str = "function_call_output") -> Json:
    """What a tool gave."""
    return {"type": kind, "call_id": call_id, "output": text}


def ask(*items: Json | str, **more: Any) -> Json:
    """The body of a request with this input; a ``str`` is a message of the user."""
    wanted = [message(item) if isinstance(item, str) else item for item in items]
    return {"model": "gpt-5.2-codex", "input": wanted} | more


# What is answered.


def created(response_id: str = "resp_1") -> Json:
    """``response.created``"""
    return {"type": "response.created", "response": {"id": response_id}}


def delta(text: str = "word") -> Json:
    """``response.output_text.delta``"""
    return {"type": "response.output_text.delta", "delta": text}


def done(item: Json) -> Json:
    """``response.output_item.done``"""
    return {"type": "response.output_item.done", "item": item}


def completed(
    response_id: str = "resp_1",
    *,
    given: int = 100,
    made: int = 20,
    output: list[Json] | None = None,
) -> Json:
    """``response.completed`` with a usage of ``given`` and ``made`` tokens."""
    usage = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    response: Json = {"id": response_id, "usage": usage}
    if output is not None:
        response["output"] = output
    return {"type": "response.completed", "response": response}


def failed(code: str, message: str = "it failed") -> Json:
    """``response.failed``"""
    error = {"code": code, "message": message}
    return {"type": "response.failed", "response": {"id": "resp_1", "error": error}}


def sse(event: Json | str) -> bytes:
    """An event as it stands in a stream."""
    data = event if isinstance(event, str) else json.dumps(event)
    return f"data: {data}\n\n".encode()
