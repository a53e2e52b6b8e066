"""Answers for the tries that a client may make after a fault, put in behind a recording. Pure.

A try on a new socket says everything that the socket before had heard already; one over HTTP says
it in a POST. What is put in is what was recorded, asked in that way. The last one put in for a
request is as it was recorded: sooner or later the client is answered.
"""

import json
from dataclasses import replace
from typing import Final

from replayer.bends.whole import whole_messages
from replayer.faults.answer import Answer, block, text_of
from replayer.faults.parts import Part, parts_of, put_together
from replayer.report import Spot
from replayer.transports.tries import naming_headers
from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.events import event_type
from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Headers,
    Piece,
    PieceKind,
    RequestBody,
    ResponseHead,
)
from wiretape.jsontext import Unparsable, parse_object
from wiretape.recording import Recording, WholeExchange, moved, with_facts

_STREAM: Final[Headers] = (("content-type", "text/event-stream"),)


class Spares:
    """What is put in behind a recording. ``originals`` says what each of it stands for."""

    def __init__(self, recording: Recording) -> None:
        self.exchanges: list[WholeExchange] = []
        self.originals: dict[Spot, Spot] = {}
        self._exchanges = {each.id: each for each in recording.exchanges}
        self._last = max(self._exchanges, default=0)
        self._until_us = max((each.until_us for each in recording.exchanges), default=0)
        self._over_http: set[Spot] = set()
        self._in_full: dict[int, tuple[bytes, ...]] = {}

    def put(self, exchange: WholeExchange, from_message: int = 0) -> int:
        """Puts in another exchange like this; gives its number. On a socket, its first message
        stands for the one of that number."""
        number = self._take(exchange, (exchange.id, None))
        if exchange.is_websocket:
            for message in range(len(parts_of(exchange)) - 1):
                self.originals[number, message] = exchange.id, from_message + message
        return number

    def said_in_full(self, part: Part, exchange: WholeExchange, message: int) -> Part:
        """The part of that message, said as on a new socket."""
        assert part.message is not None
        if exchange.id not in self._in_full:
            self._in_full[exchange.id] = whole_messages(exchange)
        data = self._in_full[exchange.id][message]
        return replace(part, message=replace(part.message, data=data))

    def put_over_http(self, attempt: Attempt) -> None:
        """Puts in a POST like an attempt on a WebSocket, for a client that has given those up.
        Once for each attempt; a warm-up is none that a POST would repeat."""
        spot = attempt.exchange, attempt.message
        if attempt.message is None or attempt.kind is RequestKind.WARM_UP:
            return
        if spot not in self._over_http:
            self._over_http.add(spot)
            exchange = self._exchanges[attempt.exchange]
            self._take(self._posted(exchange, attempt.message), spot)

    def _take(self, exchange: WholeExchange, original: Spot) -> int:
        number = self._last = self._last + 1
        # Behind everything that was recorded: a gap in the recording is none of theirs.
        late = moved(replace(exchange, gaps=()), self._until_us + 1 - exchange.request.at_us)
        self.exchanges.append(with_facts(late, lambda fact: _numbered(fact, number)))
        self.originals[number, None] = original
        return number

    def _posted(self, exchange: WholeExchange, message: int) -> WholeExchange:
        part = self.said_in_full(parts_of(exchange)[message + 1], exchange, message)
        assert part.message is not None
        at_us, request = part.message.at_us, exchange.request
        head = replace(request, at_us=at_us, method="POST", headers=naming_headers(request.headers))
        empty = WholeExchange(head, RequestBody(exchange.id, at_us, _without_type(part.message)))
        return put_together(empty, (Part(None, _streamed(part.answer)),))


def _streamed(answer: Answer) -> Answer:
    """What was said on a socket, as a stream of events over HTTP."""
    pieces = tuple(
        replace(piece, kind=PieceKind.CHUNK, data=block(event_type(text), text))
        for piece in answer.pieces
        if (text := text_of(piece)) is not None
    )
    at_us = pieces[-1].at_us if pieces else answer.asked_at_us
    return replace(
        answer,
        is_websocket=False,
        head=ResponseHead(answer.exchange, answer.asked_at_us, 200, "OK", "HTTP/1.1", _STREAM),
        pieces=pieces,
        end=End(answer.exchange, at_us, EndKind.COMPLETE),
    )


def _without_type(message: Piece) -> bytes:
    """The body of a POST that asks what a message asks."""
    said = parse_object(message.data.decode("utf-8", "replace"))
    if isinstance(said, Unparsable):
        return message.data
    body = {name: value for name, value in said.items() if name != "type"}
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _numbered(fact: Fact, number: int) -> Fact:
    return replace(fact, exchange=number)
