"""What each exchange tried: one attempt for an HTTP request, one for each request on a socket.

An attempt says what was asked, over which transport, and what came of it, in so far as the wire
shows it. Which attempts belong together is not decided here (see ``reconstruct``).
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b
from typing import Any

from wiretape.asked import (
    Asked,
    RequestKind,
    asked_by_message,
    asked_by_upgrade,
    asked_over_http,
)
from wiretape.crossings import Crossing, crossings_of
from wiretape.events import ErrorEvent, Event, Lifecycle, Phase, Usage, parse_event
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader


class Transport(StrEnum):
    """What carried an attempt."""

    HTTP = "http"
    WEBSOCKET = "websocket"


class Outcome(StrEnum):
    """What came of an attempt, as far as the wire shows."""

    COMPLETED = "completed"
    """The response was completed, or an HTTP body came whole."""
    FAILED = "failed"
    """``response.failed``, or an ``error`` event."""
    INCOMPLETE = "incomplete"
    HTTP_ERROR = "http_error"
    """An HTTP status of 400 or more; for a WebSocket, a refused upgrade."""
    CUT = "cut"
    """The server ended the connection before the response was complete."""
    ABANDONED = "abandoned"
    """The client hung up before the response was complete."""
    UNREACHED = "unreached"
    """The upstream could not be reached."""
    CONNECTED = "connected"
    """A WebSocket was opened, and nothing asked on it."""
    OPEN = "open"
    """The recording ends before the attempt does."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request.

    ``message`` counts the client's messages on the socket, from 0. ``asks_for`` is a digest of
    the last thing in the input, by which tries at the same request are found. ``events`` counts
    what the server sent; the times of its first and last, and the longest silence between any
    two things that it sent, are in microseconds. ``detail`` says more about the outcome.
    """

    exchange: int
    message: int | None
    transport: Transport
    kind: RequestKind
    session: str | None
    model: str | None
    at_us: int
    asks_for: str | None
    answers_tools: bool
    request_bytes: int
    until_us: int | None = None
    head_at_us: int | None = None
    first_event_us: int | None = None
    last_event_us: int | None = None
    longest_silence_us: int = 0
    events: int = 0
    response_bytes: int = 0
    status: int | None = None
    response_id: str | None = None
    usage: Usage | None = None
    outcome: Outcome = Outcome.OPEN
    detail: str = ""


def attempts_of(reader: TapeReader, exchange: Exchange) -> Iterator[Attempt]:
    """The attempts in one exchange; none for what is no request to a model."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    if purpose in (None, Purpose.MODELS):
        return
    if exchange.is_websocket:
        yield from _on_socket(reader, exchange)
        return
    if exchange.is_upgrade:
        asked = asked_by_upgrade(request.headers)
        transport = Transport.WEBSOCKET
    else:
        asked = asked_over_http(purpose, request.headers, reader.request_body(exchange.id))
        transport = Transport.HTTP
    begun = replace(
        _begin(exchange, None, transport, asked, request.at_us),
        status=exchange.response.status if exchange.response else None,
        head_at_us=exchange.response.at_us if exchange.response else None,
    )
    answer = (crossing for crossing in crossings_of(reader, exchange) if _is_answer(crossing))
    yield _ended(_followed(begun, answer), exchange)


def _on_socket(reader: TapeReader, exchange: Exchange) -> Iterator[Attempt]:
    upgrade = exchange.request.headers
    current: Attempt | None = None
    answer: list[Crossing] = []
    count = 0
    for piece, crossing in _requests_and_answers(reader, exchange):
        if piece is None:
            answer.append(crossing)
            continue
        if current is not None:
            yield _finished(_followed(current, answer))
        asked = asked_by_message(upgrade, piece)
        current = _begin(exchange, count, Transport.WEBSOCKET, asked, crossing.at_us)
        answer = []
        count += 1
    if current is not None:
        yield _ended(_followed(current, answer), exchange)
    else:
        begun = _begin(
            exchange,
            None,
            Transport.WEBSOCKET,
            asked_by_upgrade(upgrade),
            exchange.request.at_us,
        )
        yield replace(
            begun,
            status=101,
            outcome=Outcome.CONNECTED,
            until_us=exchange.end.at_us if exchange.end else None,
        )


def _requests_and_answers(
    reader: TapeReader, exchange: Exchange
) -> Iterator[tuple[bytes | None, Crossing]]:
    for crossing in crossings_of(reader, exchange):
        if crossing.sender is Sender.CLIENT and crossing.text is not None:
            yield crossing.text.encode(), crossing
        elif _is_answer(crossing):
            yield None, crossing


def _is_answer(crossing: Crossing) -> bool:
    control = (f"websocket.{PieceKind.PING}", f"websocket.{PieceKind.PONG}")
    return (
        crossing.sender is Sender.SERVER
        and not crossing.type.startswith("http.re")
        and crossing.type not in ("end", f"websocket.{PieceKind.CLOSE}", *control)
    )


def _begin(
    exchange: Exchange, message: int | None, transport: Transport, asked: Asked, at_us: int
) -> Attempt:
    items = asked.input_items
    last = items[-1] if items else None
    return Attempt(
        exchange.id,
        message,
        transport,
        asked.kind,
        asked.session,
        asked.model,
        at_us,
        None if last is None else _digest(last),
        isinstance(last, dict)
        and (str(last.get("type", "")).endswith("_output") or last.get("role") == "tool"),
        len(asked.raw),
    )


def _digest(item: Any) -> str:
    if isinstance(item, dict):
        item = {key: value for key, value in item.items() if key != "id"}
    text = json.dumps(item, sort_keys=True, ensure_ascii=False)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _followed(attempt: Attempt, answer: Iterable[Crossing]) -> Attempt:
    """The attempt with what the server sent taken in."""
    events = size_bytes = silence_us = 0
    first_us: int | None = None
    last_us: int | None = None
    for crossing in answer:
        silence_us = max(silence_us, crossing.at_us - (last_us or attempt.at_us))
        first_us = crossing.at_us if first_us is None else first_us
        last_us = crossing.at_us
        events += 1
        size_bytes += crossing.size_bytes
        if crossing.type in _TELLING and crossing.text is not None:
            parsed = parse_event(crossing.text)
            if isinstance(parsed, Event):
                attempt = _told(attempt, parsed)
        elif crossing.type == "[DONE]" and attempt.outcome is Outcome.OPEN:
            attempt = replace(attempt, outcome=Outcome.COMPLETED)
    return replace(
        attempt,
        events=events,
        response_bytes=size_bytes,
        first_event_us=first_us,
        last_event_us=last_us,
        longest_silence_us=silence_us,
    )


_TELLING = frozenset({*(phase.value for phase in Phase), "error"})
_OUTCOMES = {
    Phase.COMPLETED: Outcome.COMPLETED,
    Phase.DONE: Outcome.COMPLETED,
    Phase.FAILED: Outcome.FAILED,
    Phase.INCOMPLETE: Outcome.INCOMPLETE,
}


def _told(attempt: Attempt, event: Event) -> Attempt:
    """The attempt after an event that tells of the response as a whole."""
    match event:
        case Lifecycle():
            error = event.error
            detail = f"{error.code or 'no code'}: {error.message or ''}" if error else ""
            return replace(
                attempt,
                response_id=event.response_id or attempt.response_id,
                usage=event.usage or attempt.usage,
                outcome=_OUTCOMES.get(event.phase, attempt.outcome),
                detail=detail or event.incomplete_reason or attempt.detail,
            )
        case ErrorEvent():
            said = f"{event.error.code or 'no code'}: {event.error.message or ''}"
            return replace(attempt, outcome=Outcome.FAILED, detail=said)
        case _:
            return attempt


def _finished(attempt: Attempt) -> Attempt:
    """An attempt on a socket that went on: it lasts as long as the server said something."""
    return replace(attempt, until_us=attempt.last_event_us)


def _ended(attempt: Attempt, exchange: Exchange) -> Attempt:
    """The last attempt of an exchange, judged by how the exchange ended too."""
    end = exchange.end
    if end is None:
        return attempt
    is_done = attempt.outcome is not Outcome.OPEN
    until_us = attempt.last_event_us if is_done and attempt.message is not None else end.at_us
    attempt = replace(attempt, until_us=until_us)
    if is_done:
        return attempt
    if attempt.status is not None and attempt.status >= 400:
        return replace(
            attempt, outcome=Outcome.HTTP_ERROR, detail=_status(exchange, attempt.status)
        )
    detail = end.how.value
    if end.code is not None:
        detail = f"{detail} {end.code} {end.reason or ''}".rstrip()
    match end.how:
        case EndKind.COMPLETE if attempt.kind in (RequestKind.COMPACT, RequestKind.CHAT):
            return replace(attempt, outcome=Outcome.COMPLETED)
        case EndKind.REFUSED | EndKind.TLS_FAILURE:
            return replace(attempt, outcome=Outcome.UNREACHED, detail=end.detail or detail)
        case EndKind.RECORDER_STOPPED:
            return replace(attempt, detail=detail)
        case EndKind.CLIENT_CLOSED:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case EndKind.RESET | EndKind.WEBSOCKET_CLOSED if end.side is Sender.CLIENT:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case _:
            return replace(attempt, outcome=Outcome.CUT, detail=detail)


def _status(exchange: Exchange, status: int) -> str:
    reason = exchange.response.reason if exchange.response else ""
    return f"{status} {reason}".rstrip()
