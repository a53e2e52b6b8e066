"""The attempts of two sessions in rows, those that belong together in one, and where they part.

What follows from a difference stands under it, and is told once.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

from inspector_web.ends import said
from inspector_web.health import Tone, called, tone_of
from inspector_web.json_view import Token, laid_out
from inspector_web.parted import Run, parted
from inspector_web.twins import HTML_ONLY
from wiretape.attempt import Transport
from wiretape.comparing.causes import ALONE, Causes
from wiretape.comparing.pairs import AttemptPair, Comparison, RequestPair
from wiretape.likeness import Change, Difference
from wiretape.quoting import told
from wiretape.reasons import Why
from wiretape.sessions import Request, Try
from wiretape.words import counted

_MOST_TOLD: Final = 40
"""Differences that are shown whole."""
_MOST_TOKENS: Final = 1500
"""Of one value's layout."""


@dataclass(frozen=True, slots=True)
class Cell:
    """An attempt on one side; ``request`` and ``number`` are its place in its session."""

    request: int
    number: int
    turn: int
    why: Why
    called: str
    transport: Transport
    took_us: int | None
    said: str
    tone: Tone

    @property
    def place(self) -> str:
        """The number of the request, and of the attempt if it is not the first."""
        return f"{self.request}.{self.number}" if self.number > 1 else str(self.request)


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two attempts that belong together, ``None`` where a side has none.

    ``events`` are the numbers of the answers' events by side. ``first`` is the first of its
    ``differences`` in words, of its ``own`` ones if it has any: the others follow from what stands
    in rows before it, the first of them from that in the row ``follows``. ``begins_turn``: it is
    the first row of a turn. ``is_framing``: only one side has it, as only that side has sockets,
    and it does not count.
    """

    number: int
    begins_turn: bool
    a: Cell | None
    b: Cell | None
    events: tuple[int, int]
    differences: int
    own: int
    follows: int | None
    first: str
    is_framing: bool

    @property
    def only(self) -> str | None:
        """The side that has the attempt, if it is one alone."""
        return None if self.a and self.b else "A" if self.a else "B"

    @property
    def places(self) -> str:
        """Which request it is, by each side's count where they differ."""
        places = [each.place for each in (self.a, self.b) if each]
        return places[0] if len(set(places)) == 1 else f"A {places[0]}, B {places[1]}"


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One thing in which the sessions part: in which row first, where in it, and what stands there.

    In the rows ``again``, the same follows from it. Two texts are shown around where they part
    (``texts``), anything else laid out.
    """

    row: int
    path: str
    change: Change
    told: str
    a: Any
    b: Any
    a_layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    b_layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    texts: tuple[tuple[Run, ...], tuple[Run, ...]] | None = field(metadata=HTML_ONLY)
    again: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Paired:
    """The rows of a comparison. ``found`` counts the differences, ``causes`` those that follow from
    none before them; ``differences`` are the first of these."""

    rows: tuple[PairRow, ...]
    found: int
    causes: int
    differences: tuple[DifferenceRow, ...]


@dataclass(slots=True)
class _Cause:
    """A difference as it is met first, and the rows and attempts that it is met in."""

    pair: RequestPair
    difference: Difference
    rows: dict[int, AttemptPair]

    @property
    def row(self) -> int:
        return next(iter(self.rows))


def paired(comparison: Comparison) -> Paired:
    """The rows of a comparison."""
    causes, found = Causes(), dict[Hashable, _Cause]()
    rows: list[PairRow] = []
    count = 0
    for turn in comparison.turns:
        begins_turn = True
        for pair in turn.requests:
            causes.begin(pair)
            for attempts, differences in _attempts(pair):
                number = len(rows) + 1
                met = [
                    found.setdefault(causes.of(each), _Cause(pair, each, {}))
                    for each in differences
                ]
                for cause in met:
                    cause.rows[number] = attempts
                rows.append(_row(number, begins_turn, pair, attempts, met))
                begins_turn = False
                count += len(differences)
    first = {cause.row: cause for cause in reversed(found.values())}
    return Paired(
        tuple(replace(row, first=_told(first[row.number])) if row.own else row for row in rows),
        count,
        len(found),
        tuple(_difference_row(cause) for cause in list(found.values())[:_MOST_TOLD]),
    )


def _attempts(pair: RequestPair) -> Iterator[tuple[AttemptPair, tuple[Difference, ...]]]:
    """The pairs of attempts of a request, each with where they part; a request that only one side
    has is one difference, at its first attempt."""
    if pair.a is not None and pair.b is not None:
        yield from ((each, each.differences) for each in pair.attempts)
        return
    alone = tuple(each.difference for each in pair.divergences())
    request = pair.a or pair.b
    for number, each in enumerate(() if request is None else request.tries):
        sides = (each, None) if pair.b is None else (None, each)
        yield AttemptPair(*sides), alone if number == 0 else ()


def _row(
    number: int, begins_turn: bool, pair: RequestPair, attempts: AttemptPair, met: list[_Cause]
) -> PairRow:
    a, b = attempts.a, attempts.b
    own = [cause for cause in met if cause.row == number]
    follows = next((cause.row for cause in met if cause.row != number), None)
    return PairRow(
        number,
        begins_turn,
        _cell(pair.a, a),
        _cell(pair.b, b),
        (0 if a is None else a.attempt.events, 0 if b is None else b.attempt.events),
        len(met),
        len({id(cause) for cause in own}),
        follows,
        told(met[0].difference) if met else "",
        pair.is_framing or attempts.is_framing,
    )


def _told(cause: _Cause) -> str:
    """A difference in words: of attempts or requests that only one side has, how they went."""
    pair, difference = cause.pair, cause.difference
    if difference.path not in ALONE:
        return told(difference)
    side = "A" if difference.change is Change.REMOVED else "B"
    request = pair.a if side == "A" else pair.b
    alone = [each for met in cause.rows.values() if (each := met.a or met.b)]
    assert request is not None
    last, many = said(alone[-1].attempt), len(cause.rows)
    if pair.a is not None and pair.b is not None:
        a, b = (counted(len(each.tries), "attempt") for each in (pair.a, pair.b))
        numbers = [request.tries.index(each) + 1 for each in alone]
        events = sum(each.attempt.events for each in alone)
        how = f"{last}, {counted(events, 'event')}" if events else last
        made = f"A made {a} and B {b}. Only {side} has {_listed(numbers)}: {how}"
        return f"at request {request.number}: {made}"
    if many > 1:
        rest = f"only {side} goes on: {many} requests, the last one {last}"
        return f"from request {request.number} on, {rest}"
    return f"at request {request.number}, which only {side} made: {last}"


def _listed(numbers: list[int]) -> str:
    """``attempt 2``; ``attempts 1 to 3``; ``attempts 1, 3``."""
    if len(numbers) == 1:
        return f"attempt {numbers[0]}"
    is_run = numbers[-1] - numbers[0] == len(numbers) - 1
    several = ", ".join(map(str, numbers))
    return f"attempts {numbers[0]} to {numbers[-1]}" if is_run else f"attempts {several}"


def _cell(request: Request | None, each: Try | None) -> Cell | None:
    if request is None or each is None:
        return None
    attempt = each.attempt
    return Cell(
        request.number,
        request.tries.index(each) + 1,
        request.turn,
        each.why,
        called(each.why, attempt.role),
        attempt.transport,
        None if attempt.over_us is None else attempt.over_us - attempt.at_us,
        said(attempt),
        tone_of(attempt.outcome),
    )


def _difference_row(cause: _Cause) -> DifferenceRow:
    difference = cause.difference
    a, b = difference.recorded, difference.replayed
    are_texts = isinstance(a, str) and isinstance(b, str)
    return DifferenceRow(
        cause.row,
        difference.path,
        difference.change,
        _told(cause),
        a,
        b,
        () if are_texts or difference.change is Change.ADDED else _layout(a),
        () if are_texts or difference.change is Change.REMOVED else _layout(b),
        parted(a, b) if are_texts else None,
        tuple(cause.rows)[1:],
    )


def _layout(value: Any) -> tuple[Token, ...]:
    return tuple(laid_out(value, _MOST_TOKENS))
