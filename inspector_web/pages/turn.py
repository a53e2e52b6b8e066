"""A turn as people read it: what was new for the model, what it said, which tools ran."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from inspector_web.answered import answer_items
from inspector_web.conversation import Said, Saying, said_in
from inspector_web.difference import ChangeKind, difference_of
from inspector_web.index.reader import IndexReader
from inspector_web.meant import Meanings, as_sent
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.attempt import AttemptRow, attempt_row
from inspector_web.pages.head import SessionHead, Tokens, head_of, tokens_of
from wiretape.errors import UsageError
from wiretape.inputs import Maker, maker_of
from wiretape.reconstruct import Request, Session, Turn
from wiretape.store_reader import TapeReader

STEPS: Final = 20
"""Requests on a page."""
_MOST_ENTRIES: Final = 60
"""Things said on either side of one request."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said, and for a call what the tool gave and how long that took, from the
    call to its output as both crossed the wire."""

    said: Said
    output: Said | None = None
    took_us: int | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A request of the turn: the tries at it, what was new in it, and the answer to the last try.

    ``left_out`` counts what else was asked, ``is_cut`` says that the answer goes on.
    """

    request: int
    place: AttemptPlace
    tries: tuple[AttemptRow, ...]
    asked: tuple[Entry, ...]
    left_out: int
    answered: tuple[Entry, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class TurnPage:
    """A turn. ``page`` is which part of its ``requests`` the ``steps`` are, from 1."""

    session: SessionHead
    number: int
    turns: int
    at_us: int
    took_us: int
    tokens: Tokens | None
    requests: int
    steps: tuple[Step, ...]
    page: int
    has_next_page: bool


def turn_page(
    tape: str,
    overview: Overview,
    reader: TapeReader,
    index: IndexReader,
    number: int,
    turn_number: int,
    given: Mapping[str, str],
) -> TurnPage:
    """The page of a turn of the session of that ``number``; ``page`` of ``given`` is its part.

    Raises:
        NoSuchSession, UsageError: there is none.
    """
    session = overview.session(number)
    turns = session.turns
    turn = next((each for each in turns if each.number == turn_number), None)
    if turn is None:
        raise UsageError(
            f"session {number} has no turn {turn_number}: its timeline has those that are."
        )
    text = given.get("page", "")
    page = max(1, int(text)) if text.isdecimal() and len(text) < 7 else 1
    shown = turn.requests[(page - 1) * STEPS : page * STEPS]
    steps = list(_steps(session, shown, Meanings(reader, index, session), index))
    attempts = [each.attempt for request in turn.requests for each in request.tries]
    untils = [each.until_us or each.last_event_us or each.at_us for each in attempts]
    return TurnPage(
        head_of(tape, overview, number),
        turn_number,
        len(turns),
        attempts[0].at_us,
        max(untils) - attempts[0].at_us,
        tokens_of(attempts),
        len(turn.requests),
        tuple(_joined(steps, session)),
        page,
        page * STEPS < len(turn.requests),
    )


def turn_of(session: Session, request: int) -> Turn:
    """The turn that a request is part of."""
    return next(
        turn for turn in session.turns if any(each.number == request for each in turn.requests)
    )


def _steps(
    session: Session, requests: tuple[Request, ...], meanings: Meanings, index: IndexReader
) -> Iterator[Step]:
    for request in requests:
        answer = answer_items(index, request.last)
        answered = [
            Entry(said)
            for each in answer.items
            for said in said_in(each.item, is_done=each.is_done)
        ]
        asked = [Entry(said) for item in _new(session, request, meanings) for said in said_in(item)]
        yield Step(
            request.number,
            AttemptPlace(request.number, len(request.tries)),
            tuple(attempt_row(each, request, at) for at, each in enumerate(request.tries, start=1)),
            tuple(asked[-_MOST_ENTRIES:]),
            max(0, len(asked) - _MOST_ENTRIES),
            tuple(answered[:_MOST_ENTRIES]),
            answer.is_cut or len(answered) > _MOST_ENTRIES,
        )


def _new(session: Session, request: Request, meanings: Meanings) -> list[object]:
    """The items that a request says and the one before it had not; what the model had said is
    told with its answer."""
    own = as_sent(meanings.asked(request.last))
    at = session.requests.index(request)
    if own.goes_on or at == 0:
        return own.items
    before = meanings.meant(session.requests[at - 1].last)
    new = [
        change.after
        for change in difference_of(before, own).items
        if change.kind is not ChangeKind.REMOVED
    ]
    return [item for item in new if maker_of(item) is not Maker.MODEL]


def _joined(steps: list[Step], session: Session) -> Iterator[Step]:
    """The steps with each output beside its call, where the call is among them."""
    took_us = {use.call_id: use.took_us for use in session.tools}
    outputs = {
        entry.said.call_id: entry.said
        for step in steps
        for entry in step.asked
        if entry.said.saying is Saying.OUTPUT and entry.said.call_id
    }
    called = {
        entry.said.call_id
        for step in steps
        for entry in (*step.asked, *step.answered)
        if entry.said.saying is Saying.CALL
    }

    def with_output(entry: Entry) -> Entry:
        call_id = entry.said.call_id
        if entry.said.saying is not Saying.CALL or call_id is None:
            return entry
        return replace(entry, output=outputs.get(call_id), took_us=took_us.get(call_id))

    for step in steps:
        yield replace(
            step,
            asked=tuple(
                with_output(entry)
                for entry in step.asked
                if entry.said.saying is not Saying.OUTPUT or entry.said.call_id not in called
            ),
            answered=tuple(map(with_output, step.answered)),
        )
