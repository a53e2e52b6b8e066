"""What each exchange tried: one attempt for an HTTP request, one for each request on a socket.

An attempt says what was asked, over which transport, and what came of it, in so far as the wire
shows it. Which attempts belong together is not decided here (see ``reconstruct``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from wiretape.answers import AnswerFold, Silence
from wiretape.asked import (
    Asked,
    RequestKind,
    asked_by_message,
    asked_by_upgrade,
    asked_in,
)
from wiretape.client.dialects import dialect_for
from wiretape.crossings import (
    CLOSE,
    END,
    HTTP_REQUEST,
    HTTP_RESPONSE,
    Crossing,
    crossings_of,
    unasked_coding,
)
from wiretape.events import Usage
from wiretape.facts import EndKind, Sender
from wiretape.inputs import InputView, calls_repeated, view_of
from wiretape.jsontext import object_at, string_at
from wiretape.origins import Origin, Role, origin_of
from wiretape.said import CallMade, ChatWords, Noise, ResponsesWords, Said, Words
from wiretape.said import Outcome as Outcome
from wiretape.scope import Purpose, purpose_of
from wiretape.store_presence import Writing
from wiretape.store_reader import Exchange, TapeReader
from wiretape.tools import Call
from wiretape.unreached import why_unreached


class Transport(StrEnum):
    """What carried an attempt."""

    HTTP = "http"
    WEBSOCKET = "websocket"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request.

    ``message`` counts the client's messages on the socket, from 0; ``connection`` numbers the
    client's TCP connection. ``at_us`` is when it asked, ``opened_us`` when it began to: with the
    handshake of a socket that nothing had been asked on before. ``input_items`` counts the items of
    the input, of which ``is_whole_input`` says whether they are the whole conversation.

    ``events`` counts what the server sent as events. ``first_byte_us`` is when anything of an
    answer came: its head over HTTP, a message or a ping over WebSocket. ``longest_silence_us`` is
    the longest time without an event or a byte of the body, the wait for the first one and for
    the end of an answer that never ended included; it begins ``silent_from_us``.
    ``ended_by`` is the event that decided the outcome, at ``ended_at_us``; where there is none,
    the outcome is read from a status, or from how the exchange ended. ``error_code`` is the
    server's. ``detail`` says more about the outcome: of an exchange that ended, how; of one that
    did not, what became of the recording.
    """

    exchange: int
    message: int | None
    connection: int
    transport: Transport
    kind: RequestKind
    role: Role
    session: str | None
    turn_id: str | None
    model: str | None
    at_us: int
    opened_us: int
    previous_response_id: str | None
    is_whole_input: bool
    input_items: int
    answers_tools: bool
    request_bytes: int
    until_us: int | None = None
    head_at_us: int | None = None
    first_byte_us: int | None = None
    first_event_us: int | None = None
    last_event_us: int | None = None
    longest_silence_us: int = 0
    silent_from_us: int | None = None
    signs_of_life: int = 0
    events: int = 0
    response_bytes: int = 0
    status: int | None = None
    response_id: str | None = None
    usage: Usage | None = None
    outcome: Outcome = Outcome.OPEN
    ended_by: str | None = None
    ended_at_us: int | None = None
    error_code: str | None = None
    detail: str = ""

    @property
    def over_us(self) -> int | None:
        """When it was over: with the event that ended it, if one did, and not with the hang-up."""
        return self.until_us if self.ended_at_us is None else self.ended_at_us


@dataclass(frozen=True, slots=True)
class Observed:
    """An attempt, and what only its place among the others can be found by.

    ``input`` is ``None`` where what was asked cannot be read. ``conversation`` is the server's
    name for where the input is added to. ``calls`` are those that the answer made, ``repeated``
    those that the input holds, ``item_ids`` what the answer's items are called.
    """

    attempt: Attempt
    origin: Origin
    input: InputView | None
    conversation: str | None
    calls: tuple[CallMade, ...]
    repeated: tuple[Call, ...]
    item_ids: tuple[str, ...]


def attempts_of(reader: TapeReader, exchange: Exchange) -> Iterator[Observed]:
    """The attempts in one exchange; none for what is no request to a model."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)
    if purpose in (None, Purpose.MODELS):
        return
    if exchange.is_websocket:
        yield from _on_socket(reader, exchange)
        return
    asked = asked_in(request, reader.request_body(exchange.id))
    following = _Following(exchange, asked, None, request.at_us)
    for crossing in crossings_of(reader, exchange):
        if _is_answer(crossing):
            following.fold.add(crossing)
    yield _unended(reader, exchange, following.over(exchange, is_last=True))


def _on_socket(reader: TapeReader, exchange: Exchange) -> Iterator[Observed]:
    upgrade = exchange.request.headers
    current: _Following | None = None
    count = 0
    # A client may say more on a socket than requests; what cannot be read may be one.
    for crossing in crossings_of(reader, exchange):
        if crossing.sender is Sender.CLIENT and crossing.text is not None:
            asked = asked_by_message(upgrade, crossing.text.encode())
            count += 1
            if asked.kind is RequestKind.OTHER and asked.body is not None:
                continue
            if current is not None:
                yield current.over(exchange, is_last=False)
            current = _Following(exchange, asked, count - 1, crossing.at_us)
        elif current is not None and _is_answer(crossing):
            current.fold.add(crossing)
    if current is None:
        current = _Following(exchange, asked_by_upgrade(upgrade), None, exchange.request.at_us)
    yield _unended(reader, exchange, current.over(exchange, is_last=True))


def _unended(reader: TapeReader, exchange: Exchange, seen: Observed) -> Observed:
    """The last attempt of an exchange; one without an end on the tape says why there is none."""
    if exchange.end is not None or seen.attempt.outcome is not Outcome.OPEN:
        return seen
    writing = reader.writing()
    detail = "" if writing is Writing.CLOSED else str(writing)
    return replace(seen, attempt=replace(seen.attempt, detail=detail))


def _is_answer(crossing: Crossing) -> bool:
    framing = (HTTP_REQUEST, HTTP_RESPONSE, END, CLOSE)
    return crossing.sender is Sender.SERVER and crossing.type not in framing


class _Following:
    """An attempt while its answer is being read."""

    def __init__(self, exchange: Exchange, asked: Asked, message: int | None, at_us: int) -> None:
        dialect = dialect_for(exchange.request.headers)
        said = Said(is_first_word_final=message is not None)
        is_chat = asked.kind is RequestKind.CHAT
        words: Words = ChatWords(said) if is_chat else ResponsesWords(said, dialect)
        if unasked_coding(exchange) is not None:
            words = Noise(said)
        self.fold = AnswerFold(at_us, words)
        self._asked = asked
        # Only what names no session has to be told apart by its content.
        self._input = view_of(asked, with_prefixes=asked.session is None)
        opening = "" if self._input is None else self._input.opening
        self._origin = origin_of(asked, exchange.request.headers, opening)
        self._begun = _begun(exchange, asked, self._input, self._origin, message, at_us)

    def over(self, exchange: Exchange, *, is_last: bool) -> Observed:
        """The attempt as it was; ``is_last``: nothing more was asked in its exchange."""
        begun, fold, said = self._begun, self.fold, self.fold.said
        end = exchange.end if is_last else None
        fold.read_body()
        if end is not None and said.outcome is Outcome.OPEN:
            fold.wait_until(end.at_us)
        attempt = replace(
            _with_silence(begun, fold.longest_silence),
            events=fold.events,
            response_bytes=fold.size_bytes,
            first_byte_us=fold.first_byte_us if begun.head_at_us is None else begun.head_at_us,
            first_event_us=fold.first_event_us,
            last_event_us=fold.last_event_us,
            outcome=said.outcome,
            detail=said.detail,
            error_code=said.error_code,
            ended_by=said.ended_by,
            ended_at_us=said.ended_at_us,
            response_id=said.response_id,
            usage=said.usage,
        )
        return Observed(
            _ended(attempt, exchange, said) if is_last else _left(attempt),
            self._origin,
            self._input,
            _conversation(self._asked),
            tuple(said.calls.values()),
            tuple(calls_repeated(self._asked)),
            tuple(said.item_ids),
        )


def _begun(
    exchange: Exchange,
    asked: Asked,
    view: InputView | None,
    origin: Origin,
    message: int | None,
    at_us: int,
) -> Attempt:
    response = exchange.response
    over_http = not exchange.is_upgrade
    body = asked.body if isinstance(asked.body, dict) else {}
    return Attempt(
        exchange=exchange.id,
        message=message,
        connection=exchange.request.connection,
        transport=Transport.HTTP if over_http else Transport.WEBSOCKET,
        kind=asked.kind,
        role=origin.role,
        session=asked.session,
        turn_id=origin.turn_id,
        model=asked.model,
        at_us=at_us,
        opened_us=at_us if message else exchange.request.at_us,
        previous_response_id=string_at(body, "previous_response_id"),
        is_whole_input=view is not None and view.is_whole,
        input_items=0 if view is None else view.items,
        answers_tools=view is not None and view.answers_tools,
        request_bytes=len(asked.raw),
        # On a socket only the handshake has a head, and that is no answer to a request.
        status=response.status if response and message is None else None,
        head_at_us=response.at_us if response and message is None else None,
    )


def _conversation(asked: Asked) -> str | None:
    """The server's conversation that the request names, by its id or by an object with it."""
    if not isinstance(asked.body, dict):
        return None
    return string_at(asked.body, "conversation") or string_at(
        object_at(asked.body, "conversation"), "id"
    )


def _with_silence(attempt: Attempt, silence: Silence) -> Attempt:
    return replace(
        attempt,
        longest_silence_us=silence.us,
        silent_from_us=silence.from_us if silence.us else None,
        signs_of_life=silence.signs_of_life,
    )


def _left(attempt: Attempt) -> Attempt:
    """An attempt on a socket that went on: it lasts until its end was said, or as long as the
    server said something."""
    return replace(attempt, until_us=attempt.ended_at_us or attempt.last_event_us)


def _ended(attempt: Attempt, exchange: Exchange, said: Said) -> Attempt:
    """The last attempt of an exchange, judged by how the exchange ended too."""
    end = exchange.end
    is_idle_socket = exchange.is_websocket and attempt.message is None
    if is_idle_socket:
        until_us = None if end is None else end.at_us
        return replace(attempt, outcome=Outcome.CONNECTED, until_us=until_us)
    if end is None:
        return attempt
    if attempt.outcome is not Outcome.OPEN:
        return (
            _left(attempt) if attempt.message is not None else replace(attempt, until_us=end.at_us)
        )
    attempt = replace(attempt, until_us=end.at_us)
    if attempt.status is not None and attempt.status >= 400:
        reason = exchange.response.reason if exchange.response else ""
        status = f"{attempt.status} {reason}".rstrip()
        detail = f"{status}: {said.detail}" if said.detail else status
        return replace(attempt, outcome=Outcome.HTTP_ERROR, detail=detail)
    detail = end.how.value
    if end.code is not None:
        detail = f"{detail} {end.code} {end.reason or ''}".rstrip()
    match end.how:
        case EndKind.COMPLETE if attempt.kind is RequestKind.COMPACT or said.is_finished:
            return replace(attempt, outcome=Outcome.COMPLETED, detail="")
        case EndKind.REFUSED | EndKind.TLS_FAILURE:
            detail = why_unreached(end.detail or detail)
            return replace(attempt, outcome=Outcome.UNREACHED, detail=detail)
        case EndKind.RECORDER_STOPPED:
            return replace(attempt, detail=detail)
        case EndKind.CLIENT_CLOSED:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case EndKind.RESET | EndKind.WEBSOCKET_CLOSED if end.side is Sender.CLIENT:
            return replace(attempt, outcome=Outcome.ABANDONED, detail=detail)
        case _:
            return replace(attempt, outcome=Outcome.CUT, detail=detail)
