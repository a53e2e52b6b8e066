"""What of a recording can be left out, level by level: the coarse first. Pure.

Each level names the units of a recording, and makes the recording that has only some of them.
Nothing is ever made up, and no text is ever shortened: half a command is another command.
"""

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from replayer.answers import is_request
from replayer.faults.answer import Answer, text_of
from replayer.faults.parts import Part, parts_of, put_together
from replayer.minimizing.members import members_of, with_members
from wiretape.asked import RequestKind, asked_by_message
from wiretape.choosing import is_asked
from wiretape.events import event_type
from wiretape.facts import End, EndKind, Piece, Sender
from wiretape.recording import Recording, WholeExchange
from wiretape.scripts.defaults import SIDES, UPGRADE

type Unit = tuple[int | str, ...]
"""Names what may be left out: the number of an exchange first, then a place in it."""

_ANY_WARM_UP: Final = b'{"type":"response.create","generate":false,"...":""}'
_FINAL: Final = frozenset(
    {"response.completed", "response.failed", "response.incomplete", "error", "[DONE]"}
)


@dataclass(frozen=True, slots=True)
class Level:
    """``what`` its units are; ``units`` gives those of a recording, ``only`` leaves out others."""

    what: str
    units: Callable[[Recording], Sequence[Unit]]
    only: Callable[[Recording, Set[Unit]], Recording]


def _exchanges(recording: Recording) -> list[Unit]:
    return [(each.id,) for each in recording.exchanges]


def _only_exchanges(recording: Recording, kept: Set[Unit]) -> Recording:
    exchanges = tuple(each for each in recording.exchanges if (each.id,) in kept)
    return replace(recording, exchanges=exchanges)


def _messages(recording: Recording) -> list[Unit]:
    """What the client asked on sockets, each with its answer."""
    return [
        (each.id, number)
        for each in recording.exchanges
        if each.is_websocket
        for number, _ in enumerate(filter(is_request, each.pieces))
    ]


def _only_messages(recording: Recording, kept: Set[Unit]) -> Recording:
    def without(exchange: WholeExchange) -> WholeExchange:
        opening, *asked = parts_of(exchange)
        parts = [part for number, part in enumerate(asked) if (exchange.id, number) in kept]
        if len(parts) == len(asked):
            return exchange
        bent = put_together(exchange, [opening, *parts])
        # Without the last answer nobody knows how the socket would have ended.
        return bent if bent.end is not None else replace(bent, end=_left(bent))

    return _with(recording, lambda each: without(each) if each.is_websocket else each)


def _left(exchange: WholeExchange) -> End:
    how = EndKind.CLIENT_CLOSED
    return End(exchange.id, exchange.until_us, how, SIDES[how])


def _expectations(recording: Recording) -> list[Unit]:
    """What the client must say to be answered."""
    return [
        unit
        for each in recording.exchanges
        if is_asked(each)
        for unit in [(each.id,), *((each.id, at) for at, _ in _asked_by_message(each))]
    ]


def _only_expectations(recording: Recording, kept: Set[Unit]) -> Recording:
    def without(exchange: WholeExchange) -> WholeExchange:
        pieces = list(exchange.pieces)
        for at, piece in _asked_by_message(exchange):
            if (exchange.id, at) not in kept:
                pieces[at] = replace(piece, data=_anything(exchange, piece))
        if (exchange.id,) in kept or not is_asked(exchange):
            return replace(exchange, pieces=tuple(pieces))
        request, body = exchange.request, exchange.body
        return replace(
            exchange,
            request=replace(request, headers=UPGRADE if request.is_upgrade else ()),
            body=body and replace(body, data=b"", is_whole=True),
            pieces=tuple(pieces),
        )

    return _with(recording, without)


def _asked_by_message(exchange: WholeExchange) -> Iterator[tuple[int, Piece]]:
    if exchange.is_websocket:
        yield from ((at, each) for at, each in enumerate(exchange.pieces) if is_request(each))


def _anything(exchange: WholeExchange, piece: Piece) -> bytes:
    """A message that any other meets; but a warm-up is answered by none but its own answer."""
    asked = asked_by_message(exchange.request.headers, piece.data)
    return _ANY_WARM_UP if asked.kind is RequestKind.WARM_UP else b""


def _headers(recording: Recording) -> list[Unit]:
    """The headers of answers, but for what says that a stream is one."""
    return [
        (each.id, at)
        for each in recording.exchanges
        if each.response is not None
        for at, (name, _) in enumerate(each.response.headers)
        if name.lower() != "content-type"
    ]


def _only_headers(recording: Recording, kept: Set[Unit]) -> Recording:
    units = set(_headers(recording))

    def without(exchange: WholeExchange) -> WholeExchange:
        if exchange.response is None:
            return exchange
        headers = tuple(
            header
            for at, header in enumerate(exchange.response.headers)
            if (exchange.id, at) in kept or (exchange.id, at) not in units
        )
        return replace(exchange, response=replace(exchange.response, headers=headers))

    return _with(recording, without)


def _events(recording: Recording) -> list[Unit]:
    """What the server said."""
    return list(
        dict.fromkeys(
            unit
            for each in recording.exchanges
            for number, part in enumerate(parts_of(each))
            for unit in _events_of(each, number, part)
            if unit is not None
        )
    )


def _only_events(recording: Recording, kept: Set[Unit]) -> Recording:
    def without(exchange: WholeExchange) -> WholeExchange:
        parts = parts_of(exchange)
        units = [list(_events_of(exchange, *each)) for each in enumerate(parts)]
        if all(unit is None or unit in kept for some in units for unit in some):
            return exchange
        return put_together(
            exchange,
            (
                replace(part, answer=_answer_with(part.answer, some, kept))
                for part, some in zip(parts, units, strict=True)
            ),
        )

    return _with(recording, without)


def _events_of(exchange: WholeExchange, number: int, part: Part) -> Iterator[Unit | None]:
    """The unit of each piece of an answer; ``None`` for what the client sent.

    The parts of a tool's input stand or fall together.
    """
    for at, piece in enumerate(part.answer.pieces):
        if piece.sender is Sender.CLIENT:
            yield None
        elif _is_part_of_a_call(piece):
            yield exchange.id, number, "call"
        else:
            yield exchange.id, number, at


def _is_part_of_a_call(piece: Piece) -> bool:
    text = text_of(piece) or ""
    kind = event_type(text) or ""
    is_delta = kind.endswith(("_arguments.delta", "_input.delta", "_code.delta"))
    return is_delta or '"tool_calls"' in text or '"function_call"' in text


def _answer_with(answer: Answer, units: Sequence[Unit | None], kept: Set[Unit]) -> Answer:
    pieces = [
        piece
        for piece, unit in zip(answer.pieces, units, strict=True)
        if unit is None or unit in kept
    ]
    rest = answer.with_pieces(*pieces)
    is_left = answer.end is None or answer.end.side is Sender.CLIENT
    if is_left and _is_over(answer) and not _is_over(rest):
        # Else the client would wait for what does not come until its patience is at its end.
        how = EndKind.SERVER_CLOSED if answer.is_websocket else EndKind.COMPLETE
        return rest.ended(len(pieces), how, SIDES[how])
    return rest


def _is_over(answer: Answer) -> bool:
    """Whether the server said a last word."""
    texts = (text_of(piece) or "" for piece in answer.pieces)
    return any(text in _FINAL or event_type(text) in _FINAL for text in texts)


def _members(depth: int) -> Level:
    """The members of events, wherever they stand: those at the top, or those inside these."""

    def units(recording: Recording) -> list[Unit]:
        found = dict.fromkeys(
            path for each in recording.exchanges for path in members_of(each, depth)
        )
        return list(found)

    def only(recording: Recording, kept: Set[Unit]) -> Recording:
        return _with(recording, lambda each: with_members(each, depth, kept))

    return Level("members of events" if depth == 1 else "members inside these", units, only)


def _with(recording: Recording, change: Callable[[WholeExchange], WholeExchange]) -> Recording:
    return replace(recording, exchanges=tuple(map(change, recording.exchanges)))


LEVELS: Final = (
    Level("exchanges", _exchanges, _only_exchanges),
    Level("messages", _messages, _only_messages),
    Level("requests that are compared", _expectations, _only_expectations),
    Level("headers of answers", _headers, _only_headers),
    Level("events", _events, _only_events),
    _members(1),
    _members(2),
)
