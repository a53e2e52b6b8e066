"""Opens the two tapes of a comparison, finds the two sessions, and has them compared; or finds what
was recorded for one request of a replay."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from inspector_web.meant import Meanings
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.compare import (
    MOST_CHOICES,
    Choice,
    ComparePage,
    CompareQuery,
    Side,
    chosen_page,
    compare_page,
    is_too_long,
)
from inspector_web.pages.head import SessionHead, head_of, heads_of
from inspector_web.pages.request import Recorded
from inspector_web.reader import library, open_overview, shelf
from inspector_web.readings import Look
from inspector_web.shelf import overview_in
from inspector_web.shell import command_line
from inspector_web.took import took_by
from inspector_web.visible import one_line
from wiretape.commands.ignore_files import ignored_beside
from wiretape.comparing.compare import compare_sessions, paired_attempts
from wiretape.comparing.sessions import paired_sessions
from wiretape.sessions import Session, Try
from wiretape.store_reader import TapeReader

_WORDS: Final = 60

_ELSEWHERE: Final = (
    "The recording {} is not among these tapes: give its path to `wiretape inspect` too, and this "
    "request can be laid beside the recorded one."
)
_TOO_LONG: Final = (
    "The two sessions are too long for the recorded request to be found here: `wiretape diff` "
    "compares them."
)
_UNPAIRED: Final = (
    "The recording has no attempt that belongs to this one: the comparison of the two sessions "
    "shows what it has."
)


def compared(query: CompareQuery, looks: Sequence[tuple[str, Look]]) -> ComparePage:
    """The page of a comparison of two sessions, on one tape or two.

    One that was replayed is compared with its recording, if nothing else is asked for.

    Raises:
        TapeError, NoSuchSession: a side is not there, or cannot be used.
        StillReading: it is being read for the first time.
    """
    side_a, side_b = query.a, query.b
    choices = _choices(looks, side_a or side_b)
    if side_a is None or side_b is None:
        alone = side_a or side_b
        recorded = None if alone is None else _recorded(alone)
        if recorded is None:
            return chosen_page(query, choices, _head(side_a), _head(side_b))
        side_a, side_b = recorded, alone
    assert side_b is not None
    path_a, path_b = library().find(side_a.tape), library().find(side_b.tape)
    with TapeReader(path_a) as reader_a, TapeReader(path_b) as reader_b:
        over_a, over_b = open_overview(reader_a), open_overview(reader_b)
        if side_a.session is None:
            b = over_b.session(side_b.session or 1)
            a = _partner(b, reader_b, over_a, reader_a, side_a)
        else:
            a = over_a.session(side_a.session)
            b = _partner(a, reader_a, over_b, reader_b, side_b)
        heads = head_of(side_a.tape, over_a, a.number), head_of(side_b.tape, over_b, b.number)
        command = _command((path_a, path_b), (a, b), query.ignore)
        took = took_by(over_a.details_of(a.number).spent, over_b.details_of(b.number).spent)
        if is_too_long(a, b):
            return chosen_page(query, choices, *heads, command, is_too_long=True, took=took)
        ignored = ignored_beside((path_a, path_b), query.ignore)
        comparison = compare_sessions(a, reader_a, b, reader_b, ignored)
    unmatched = tuple(ignored.unmatched())
    return compare_page(query, choices, heads, command, comparison, unmatched, took)


def _partner(
    session: Session, reader: TapeReader, other: Overview, other_reader: TapeReader, side: Side
) -> Session:
    """The session of the other side that is asked for, else the one that belongs to ours."""
    if side.session is not None or len(other.sessions) < 2:
        return other.session(side.session or 1)
    pairs = paired_sessions([session], reader, other.sessions, other_reader)
    found = (each for one, each in pairs if one is session and each is not None)
    return next(found, other.session(1))


def _recorded(side: Side) -> Side | None:
    """The recording that a tape says it is a replay of, if it is among the tapes."""
    with TapeReader(library().find(side.tape)) as reader:
        source = reader.label().source
    name = None if source is None else _named(source)
    return None if name is None else Side(name, None)


def _named(source: str) -> str | None:
    """What a tape of which another one tells is called, if it is among the tapes."""
    place = Path(source).resolve()
    found = (name for name, path in library().tapes().items() if path.resolve() == place)
    return next(found, None)


def recorded_request(
    reader: TapeReader, overview: Overview, number: int, place: AttemptPlace, *, is_wanted: bool
) -> Recorded | None:
    """What a request of a replay belongs to in the recording, looked up where it ``is_wanted``;
    ``None`` where its tape is no replay.

    Raises:
        TapeError: the recording cannot be used.
        StillReading: it is being read for the first time.
    """
    source = overview.label.source
    if source is None:
        return None
    name = _named(source)
    if name is None:
        return Recorded(source, None, missing=_ELSEWHERE.format(source))
    if not is_wanted:
        return Recorded(source, name)
    path = library().find(name)
    with TapeReader(path) as recording, shelf().index(recording) as index:
        recorded = overview_in(shelf().look(path))
        session = overview.session(number)
        partner = _partner(session, reader, recorded, recording, Side(name, None))
        if is_too_long(partner, session):
            return Recorded(source, name, missing=_TOO_LONG)
        ours = session.requests[place.request - 1].tries[place.number - 1]
        pairs = paired_attempts(partner, recording, session, reader)
        theirs = next((one for one, other in pairs if one is not None and other is ours), None)
        if theirs is None:
            return Recorded(source, name, missing=_UNPAIRED)
        meant = Meanings(recording, index, partner).meant(theirs.attempt)
        return Recorded(source, name, partner.number, _place(partner, theirs), meant=meant)


def _place(session: Session, found: Try) -> AttemptPlace:
    return next(
        AttemptPlace(request.number, at)
        for request in session.requests
        for at, each in enumerate(request.tries, start=1)
        if each is found
    )


def _head(side: Side | None) -> SessionHead | None:
    if side is None:
        return None
    with TapeReader(library().find(side.tape)) as reader:
        return head_of(side.tape, open_overview(reader), side.session or 1)


def _choices(looks: Sequence[tuple[str, Look]], side: Side | None) -> tuple[Choice, ...]:
    """The newest sessions of all tapes; those that belong to the one of ``side`` come first."""
    heads = [
        head
        for name, look in looks
        if look.overview is not None
        for head in heads_of(name, look.overview)
    ]
    heads.sort(key=lambda head: head.started_at_us, reverse=True)
    place = None if side is None else (side.tape, side.session or 1)
    known = next((head for head in heads if (head.tape, head.number) == place), None)
    likely = {head for head in heads if known is not None and _belong_together(known, head)}
    heads.sort(key=lambda head: head not in likely)
    return tuple(
        Choice(
            f"{head.tape}/{head.number}",
            f"{head.tape}{f' · {head.number}' if head.number > 1 else ''}: "
            f"{one_line(head.words, _WORDS)}",
            head in likely,
        )
        for head in heads[:MOST_CHOICES]
    )


def _belong_together(one: SessionHead, other: SessionHead) -> bool:
    """Whether one replays the tape of the other, or both began with the same words."""
    if one == other:
        return False
    is_replay = one.replay_of == other.tape or other.replay_of == one.tape
    return is_replay or (bool(one.words) and one.words == other.words)


def _command(
    paths: tuple[Path, Path], sessions: tuple[Session, Session], ignore: tuple[str, ...]
) -> str:
    options = [part for path in ignore for part in ("--ignore", path)]
    chosen = ["--session", sessions[0].name, "--session-b", sessions[1].name]
    words = ["wiretape", "diff", *(str(path.resolve()) for path in paths), *chosen, *options]
    return command_line(words)
