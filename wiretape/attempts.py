"""What each exchange tried: one attempt for an HTTP request, one for each request on a socket.

An attempt says what was asked, over which transport, and what came of it, in so far as the wire
shows it. Which attempts belong together is not decided here (see ``reconstruct``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wiretape.answers import AnswerFold, Silence
from wiretape.asked import (
    Asked,
    RequestKind,
    asked_by_message,
    asked_by_upgrade,
    asked_in,
)
from wiretape.attempt import Attempt, Transport
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
from wiretape.endings import ended, ending_of, left
from wiretape.facts import Sender
from wiretape.inputs import InputView, calls_repeated, view_of
from wiretape.jsontext import object_at, string_at
from wiretape.origins import Origin, origin_of
from wiretape.said import CallMade, ChatWords, Noise, Outcome, ResponsesWords, Said, Words
from wiretape.scope import Purpose, purpose_of
from wiretape.store_presence import Writing
from wiretape.store_reader import Exchange, TapeReader
from wiretape.tools import Call


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
    closed_us: int | None = None
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
        elif crossing.type == CLOSE:
            closed_us = closed_us or crossing.at_us
        elif current is not None and _is_answer(crossing):
            current.fold.add(crossing)
    if current is None:
        current = _Following(exchange, asked_by_upgrade(upgrade), None, exchange.request.at_us)
    yield _unended(reader, exchange, current.over(exchange, is_last=True, closed_us=closed_us))


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

    def over(self, exchange: Exchange, *, is_last: bool, closed_us: int | None = None) -> Observed:
        """The attempt as it was; ``is_last``: nothing more was asked in its exchange.

        ``closed_us`` is when the first close frame crossed.
        """
        begun, fold, said = self._begun, self.fold, self.fold.said
        ending = ending_of(exchange, closed_us, begun.at_us) if is_last else None
        fold.read_body()
        if ending is not None and said.outcome is Outcome.OPEN:
            fold.wait_until(ending.at_us)
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
            ended(attempt, exchange, ending, said) if is_last else left(attempt),
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
