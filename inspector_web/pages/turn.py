"""A turn as people read it: what was new for the model, what it said, which tools ran."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from inspector_web.addresses import page_in
from inspector_web.asking import turn_words
from inspector_web.conversation import Saying, said_in
from inspector_web.difference import ChangeKind, difference_of
from inspector_web.entries import MOST_ENTRIES, Answered, Entry, answered, with_context
from inspector_web.index.reader import IndexReader
from inspector_web.meant import Meanings, as_sent
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.attempt import AttemptRow, attempt_row
from inspector_web.pages.head import SessionHead, Tokens, head_of, tokens_of
from inspector_web.visible import one_line
from wiretape.attempt import Attempt
from wiretape.errors import UsageError
from wiretape.inputs import Maker, maker_of
from wiretape.origins import Role
from wiretape.sessions import Request, Session
from wiretape.store_reader import TapeReader

STEPS: Final = 20
"""Requests on a page."""
MOST_FAILED_EVENTS: Final = 5000
"""Of failed tries, read for one page."""
_LONGEST_WORDS: Final = 300


@dataclass(frozen=True, slots=True)
class FailedTry:
    """What the server had said to a try that was made again: to the person it stood there, too.

    Where that is more than a page reads, there are no entries, and ``is_cut``.
    """

    place: AttemptPlace
    answered: Answered


@dataclass(frozen=True, slots=True)
class Step:
    """A request of the turn: the tries at it, what was new in it, and the answer to the last try.

    ``left_out`` counts what else was asked, ``is_cut`` says that the answer goes on. ``failed``
    are the tries before the last one that anything was said to. ``took_us`` and ``tokens`` are of
    all tries.
    """

    request: int
    place: AttemptPlace
    tries: tuple[AttemptRow, ...]
    asked: tuple[Entry, ...]
    left_out: int
    answered: tuple[Entry, ...]
    is_cut: bool
    failed: tuple[FailedTry, ...]
    took_us: int
    tokens: Tokens | None

    @property
    def is_warm_up(self) -> bool:
        return self.tries[-1].role is Role.WARM_UP


@dataclass(frozen=True, slots=True)
class TurnPage:
    """A turn, which begins with its first handshake.

    ``words`` are those that began it, empty where they are not known. ``page`` is which part of its
    ``requests`` the ``steps`` are, from 1.
    """

    session: SessionHead
    number: int
    turns: int
    words: str
    at_us: int
    took_us: int
    tokens: Tokens | None
    requests: int
    warm_ups: int
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
    page = page_in(given)
    shown = turn.requests[(page - 1) * STEPS : page * STEPS]
    steps = list(_steps(session, shown, Meanings(reader, index, session), index))
    attempts = [each.attempt for request in turn.requests for each in request.tries]
    began_us = min(each.opened_us for each in attempts)
    return TurnPage(
        head_of(tape, overview, number),
        turn_number,
        len(turns),
        one_line(turn_words(reader, turn, index), _LONGEST_WORDS),
        began_us,
        _over_us(attempts) - began_us,
        tokens_of(attempts),
        len(turn.requests),
        turn.warm_ups,
        tuple(_joined(steps, session)),
        page,
        page * STEPS < len(turn.requests),
    )


def _steps(
    session: Session, requests: tuple[Request, ...], meanings: Meanings, index: IndexReader
) -> Iterator[Step]:
    read = 0
    for request in requests:
        answer = answered(index, request.last)
        attempts = [each.attempt for each in request.tries]
        new = _new(session, request, meanings)
        asked = with_context([Entry(said) for item in new for said in said_in(item)])
        yield Step(
            request.number,
            AttemptPlace(request.number, len(request.tries)),
            tuple(attempt_row(each, request, at) for at, each in enumerate(request.tries, start=1)),
            tuple(asked[-MOST_ENTRIES:]),
            max(0, len(asked) - MOST_ENTRIES),
            answer.entries,
            answer.is_cut,
            tuple(_failed(request, index, read)),
            _over_us(attempts) - min(each.at_us for each in attempts),
            tokens_of(attempts),
        )
        read += _failed_events(request)


def _failed(request: Request, index: IndexReader, read: int) -> Iterator[FailedTry]:
    """``read`` counts the events of failed tries before it on the page."""
    for number, each in enumerate(request.tries[:-1], start=1):
        read += each.attempt.events
        is_read = read <= MOST_FAILED_EVENTS
        answer = answered(index, each.attempt) if is_read else Answered((), is_cut=True)
        if each.attempt.events and (answer.entries or answer.is_cut):
            yield FailedTry(AttemptPlace(request.number, number), answer)


def _failed_events(request: Request) -> int:
    return sum(each.attempt.events for each in request.tries[:-1])


def _over_us(attempts: list[Attempt]) -> int:
    """When the last one was over; of what is still open, when it was last heard."""
    return max(each.over_us or each.last_event_us or each.at_us for each in attempts)


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
