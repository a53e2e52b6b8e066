"""Tapes for tests, built fact by fact with fixed times: no clock, no network, no recorder.

Time goes on by ten milliseconds with every fact, so every time on a tape can be written out.
"""

import json
from collections.abc import Iterable
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
from wiretape.store_writer import TapeLabel, TapeWriter

STEP_US = 10_000
HOST = "api.openai.com"
SESSION = "01990000-aaaa-7000-8000-000000000001"
OTHER_SESSION = "01990000-bbbb-7000-8000-000000000002"
JSON_HEADERS: Headers = (("content-type", "application/json"),)
STREAM_HEADERS: Headers = (("content-type", "text/event-stream; charset=utf-8"),)
UPGRADED: Headers = (
    ("upgrade", "websocket"),
    ("connection", "Upgrade"),
    ("sec-websocket-accept", "not of this handshake"),
)


def message(text: str) -> dict[str, Any]:
    """An input item: what the user says."""
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}


def create(*texts: str, **members: Any) -> dict[str, Any]:
    """The body of a request whose input are these messages; ``members`` are added or replaced."""
    return {
        "model": "gpt-5.2-codex",
        "instructions": "Be brief.",
        "input": [message(text) for text in texts],
        "tools": [{"type": "function", "name": "shell"}, {"type": "function", "name": "plan"}],
        "stream": True,
    } | members


def asks(*texts: str, **members: Any) -> dict[str, Any]:
    """The same as a WebSocket message."""
    return {"type": "response.create", **create(*texts, **members)}


def warm_up(**members: Any) -> dict[str, Any]:
    """A request that asks for nothing to be generated."""
    return asks(generate=False, **members)


def answer(text: str, response: str = "resp_1") -> tuple[dict[str, Any], ...]:
    """The events of a short answer."""
    return (
        {"type": "response.created", "response": {"id": response}},
        {"type": "response.output_text.delta", "delta": text},
        {"type": "response.completed", "response": {"id": response, "usage": None}},
    )


def sse(*events: dict[str, Any]) -> tuple[bytes, ...]:
    """Events as a stream of them, a chunk each."""
    return tuple(
        f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in events
    )


def error_body(text: str) -> bytes:
    """The body of an error of the model API."""
    return json.dumps({"error": {"message": text}}).encode()


def session_headers(session: str | None) -> Headers:
    """How a client names its session; ``None`` names none."""
    return () if session is None else (("session_id", session),)


@dataclass(frozen=True, slots=True)
class Ending:
    """How an exchange ends. ``None`` for ``how``: the recording ends before it does."""

    how: EndKind | None
    side: Sender | None = None
    code: int | None = None
    reason: str | None = None


COMPLETE = Ending(EndKind.COMPLETE)
CUT = Ending(EndKind.SERVER_CLOSED, Sender.SERVER)
RESET = Ending(EndKind.RESET, Sender.SERVER)
LEFT = Ending(EndKind.CLIENT_CLOSED, Sender.CLIENT)
REFUSED = Ending(EndKind.REFUSED)


@dataclass(frozen=True, slots=True)
class Step:
    """Something that crosses on a socket."""

    sender: Sender
    kind: PieceKind
    data: bytes


def says(*events: dict[str, Any]) -> tuple[Step, ...]:
    """The server sends these events as messages."""
    return tuple(
        Step(Sender.SERVER, PieceKind.TEXT, json.dumps(event).encode()) for event in events
    )


def wants(*bodies: dict[str, Any]) -> tuple[Step, ...]:
    """The client sends these requests as messages."""
    return tuple(Step(Sender.CLIENT, PieceKind.TEXT, json.dumps(body).encode()) for body in bodies)


def control(sender: Sender, kind: PieceKind, data: bytes = b"") -> tuple[Step, ...]:
    """A ping, pong or close frame."""
    return (Step(sender, kind, data),)


def close_frame(code: int | None, reason: str = "", sender: Sender = Sender.SERVER) -> Step:
    """A close frame; without a code, an empty one."""
    data = b"" if code is None else code.to_bytes(2) + reason.encode()
    return Step(sender, PieceKind.CLOSE, data)


def server_closed(code: int | None, reason: str = "") -> Ending:
    """The end that goes with a server's close frame."""
    return Ending(EndKind.WEBSOCKET_CLOSED, Sender.SERVER, code, reason)


@dataclass(slots=True)
class Recording:
    """Facts in the order in which they cross, to be written as a tape."""

    host: str = HOST
    scheme: str = "https"
    port: int = 443
    path: str = "/v1"
    facts: list[Fact] = field(default_factory=list)
    now_us: int = 0
    exchanges: int = 0

    def post(
        self,
        body: Any,
        chunks: Iterable[bytes] = (),
        ending: Ending = COMPLETE,
        *,
        status: int | None = 200,
        reason: str = "OK",
        headers: Headers = STREAM_HEADERS,
        session: str | None = SESSION,
        asked_with: Headers = JSON_HEADERS,
        path: str = "/responses",
    ) -> int:
        """A POST and its answer; gives the exchange's number. ``body`` is JSON, or bytes as they
        are. Without ``status`` there is no answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        number = self._request("POST", path, session_headers(session) + asked_with, data)
        if status is not None:
            self._head(number, status, reason, headers)
        for chunk in chunks:
            self._put(Piece(number, self._tick(), Sender.SERVER, PieceKind.CHUNK, chunk))
        self._end(number, ending)
        return number

    def get(
        self,
        path: str,
        body: bytes,
        *,
        status: int = 200,
        reason: str = "OK",
        headers: Headers | None = None,
    ) -> int:
        """A GET and its answer, of a stated length unless ``headers`` say otherwise."""
        number = self._request("GET", path, (), b"")
        if headers is None:
            headers = (*JSON_HEADERS, ("content-length", str(len(body))))
        self._head(number, status, reason, headers)
        self._put(Piece(number, self._tick(), Sender.SERVER, PieceKind.CHUNK, body))
        self._end(number, COMPLETE)
        return number

    def socket(
        self,
        *steps: Iterable[Step],
        ending: Ending = LEFT,
        headers: Headers = UPGRADED,
        session: str | None = SESSION,
        asked_with: Headers = (),
        path: str = "/responses",
    ) -> int:
        """A WebSocket, what crosses on it, and its end."""
        number = self._upgrade(session, asked_with, path)
        self._head(number, 101, "Switching Protocols", headers)
        self.on(number, *steps)
        self._end(number, ending)
        return number

    def open_socket(self, session: str | None = SESSION) -> int:
        """A WebSocket that goes on: what crosses is put with :meth:`on`, its end with
        :meth:`end`."""
        number = self._upgrade(session, ())
        self._head(number, 101, "Switching Protocols", UPGRADED)
        return number

    def on(self, number: int, *steps: Iterable[Step]) -> None:
        """Something crosses on the WebSocket of that number."""
        for step in (step for some in steps for step in some):
            self._put(Piece(number, self._tick(), step.sender, step.kind, step.data))

    def end(self, number: int, ending: Ending = LEFT) -> None:
        """An exchange ends."""
        self._end(number, ending)

    def unanswered_upgrade(self, ending: Ending, *, session: str | None = SESSION) -> int:
        """A handshake to which there was no answer."""
        number = self._upgrade(session, ())
        self._end(number, ending)
        return number

    def refused_upgrade(
        self,
        status: int,
        body: bytes = b"",
        *,
        reason: str = "",
        headers: Headers = (),
        session: str | None = SESSION,
    ) -> int:
        """A handshake that is answered by something else than a WebSocket."""
        number = self._upgrade(session, ())
        self._head(number, status, reason, (*headers, ("content-length", str(len(body)))))
        if body:
            self._put(Piece(number, self._tick(), Sender.SERVER, PieceKind.CHUNK, body))
        self._end(number, COMPLETE)
        return number

    def gap(self, exchange: int | None, reason: str = "the disk was full") -> None:
        """Something was lost."""
        self._put(Gap(self._tick(), self.now_us, exchange, 1, 100, reason))

    def pause(self, pause_us: int) -> None:
        """Nothing crosses for a while."""
        self.now_us += pause_us

    def write(self, path: Path) -> Path:
        """Makes the tape at ``path``."""
        troubles: list[str] = []
        with TapeWriter(path, TapeLabel("record", 0, "fixed"), on_trouble=troubles.append) as tape:
            for fact in self.facts:
                tape.put(fact)
        assert troubles == []
        return path

    def _upgrade(self, session: str | None, asked_with: Headers, path: str = "/responses") -> int:
        headers: Headers = (
            ("connection", "Upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
        )
        return self._request("GET", path, headers + session_headers(session) + asked_with)

    def _request(self, method: str, path: str, headers: Headers, body: bytes = b"") -> int:
        self.exchanges += 1
        number = self.exchanges
        self._put(
            RequestHead(
                number,
                self._tick(),
                number,
                method,
                self.scheme,
                self.host,
                self.port,
                self.path + path,
                "HTTP/1.1",
                headers,
            )
        )
        self._put(RequestBody(number, self._tick(), body))
        return number

    def _head(self, number: int, status: int, reason: str, headers: Headers) -> None:
        self._put(ResponseHead(number, self._tick(), status, reason, "HTTP/1.1", headers))

    def _end(self, number: int, ending: Ending) -> None:
        if ending.how is not None:
            self._put(
                End(number, self._tick(), ending.how, ending.side, ending.code, ending.reason)
            )

    def _put(self, fact: Fact) -> None:
        self.facts.append(fact)

    def _tick(self) -> int:
        self.now_us += STEP_US
        return self.now_us
