"""Two sessions side by side: where they part first, and which attempt belongs to which.

What is compared, and what is left out, is ``wiretape.comparing``'s to say: this only draws it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Self

from inspector_web.addresses import choice_in
from inspector_web.ends import said
from inspector_web.health import Tone, tone_of
from inspector_web.json_view import Token, laid_out
from inspector_web.pages.head import SessionHead
from inspector_web.parted import Run, parted
from inspector_web.twins import HTML_ONLY
from wiretape.asked import RequestKind
from wiretape.attempts import Transport
from wiretape.comparing.pairs import AttemptPair, Comparison, RequestPair
from wiretape.likeness import Change, Difference
from wiretape.quoting import told
from wiretape.reconstruct import Request, Session, Try, Why
from wiretape.words import counted

MOST_EVENTS: Final = 100_000
MOST_BYTES: Final = 40_000_000
"""Of both sessions together, asked and answered; more would keep the page waiting."""
_MOST_ROWS: Final = 1000
_MOST_TOLD: Final = 40
"""Differences that are shown whole."""
_MOST_TOKENS: Final = 1500
"""Of one value's layout."""
MOST_CHOICES: Final = 200
ALONE: Final = ("attempt", "request")
"""Places that are no values: one side has no such thing."""


class Shown(StrEnum):
    """Which rows of the two sessions are shown."""

    ALL = "all"
    DIFFERENCES = "differences"


@dataclass(frozen=True, slots=True)
class Side:
    """A session as an address names it: its tape, and its number from 1, if it says one."""

    tape: str
    session: int | None

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """``TAPE`` or ``TAPE/NUMBER``; ``None`` for nothing."""
        tape, slash, number = text.rpartition("/")
        if slash and number.isdecimal() and len(number) < 9:
            return cls(tape, int(number))
        return cls(text, None) if text else None


@dataclass(frozen=True, slots=True)
class CompareQuery:
    """What is asked for. Nothing differs at the places that are in ``ignore``."""

    a: Side | None
    b: Side | None
    show: Shown
    ignore: tuple[str, ...]

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address.

        Raises:
            BadAddress: a value makes no sense.
        """
        return cls(
            Side.parse(given.get("a", "")),
            Side.parse(given.get("b", "")),
            choice_in(given, "show", Shown) or Shown.ALL,
            tuple(given.get("ignore", "").split()),
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A session that can be chosen, ``value`` in the address."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class Cell:
    """An attempt on one side; ``request`` and ``number`` are its place in its session."""

    request: int
    number: int
    turn: int
    why: Why
    is_warm_up: bool
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

    ``events`` are the numbers of the answers' events by side, ``first`` is the first of the
    ``differences`` in words. ``begins_turn``: it is the first row of a turn. ``is_framing``: only
    one side has it, as only that side has sockets, and it does not count.
    """

    number: int
    begins_turn: bool
    a: Cell | None
    b: Cell | None
    events: tuple[int, int]
    differences: int
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
    """One place where the sessions part: in which row, where in it, and what stands there.

    Two texts are shown around where they part (``texts``), anything else laid out.
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


@dataclass(frozen=True, slots=True)
class ComparePage:
    """A comparison. Without two sides there is only what to choose from.

    ``differences`` are the first of ``found``. ``pairs`` counts the rows of all, ``rows`` are
    those that are shown. ``is_too_long``: the sessions are only compared by ``command``.
    """

    query: CompareQuery
    choices: tuple[Choice, ...]
    a: SessionHead | None
    b: SessionHead | None
    command: str | None
    is_too_long: bool
    found: int
    pairs: int
    differences: tuple[DifferenceRow, ...]
    rows: tuple[PairRow, ...]
    left_out: tuple[str, ...]
    ignored_nothing: tuple[str, ...]

    @property
    def is_first_alone(self) -> bool:
        """Whether they part first where one side has no such attempt."""
        return bool(self.differences) and self.differences[0].path in ALONE

    @property
    def first_row(self) -> PairRow | None:
        """The row of the first difference, if it is shown."""
        if not self.differences:
            return None
        number = self.differences[0].row
        return next((row for row in self.rows if row.number == number), None)


def chosen_page(
    query: CompareQuery,
    choices: tuple[Choice, ...],
    a: SessionHead | None = None,
    b: SessionHead | None = None,
    command: str | None = None,
    *,
    is_too_long: bool = False,
) -> ComparePage:
    """The page without a comparison."""
    return ComparePage(query, choices, a, b, command, is_too_long, 0, 0, (), (), (), ())


def compare_page(
    query: CompareQuery,
    choices: tuple[Choice, ...],
    heads: tuple[SessionHead, SessionHead],
    command: str,
    comparison: Comparison,
    ignored_nothing: tuple[str, ...],
) -> ComparePage:
    """The page of a comparison; ``command`` is the command line that says the same."""
    rows: list[PairRow] = []
    told: list[DifferenceRow] = []
    found = 0
    for turn in comparison.turns:
        begins = True
        for pair in turn.requests:
            for each, differences in _attempts(pair):
                row = _row(len(rows) + 1, begins, pair, each, differences)
                begins = False
                rows.append(row)
                found += len(differences)
                room = max(0, _MOST_TOLD - len(told))
                told += (_difference_row(row, pair, one) for one in differences[:room])
    shown = [row for row in rows if query.show is Shown.ALL or row.differences]
    return ComparePage(
        query,
        choices,
        *heads,
        command,
        False,
        found,
        len(rows),
        tuple(told),
        tuple(shown[:_MOST_ROWS]),
        comparison.left_out,
        ignored_nothing,
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
    number: int,
    begins_turn: bool,
    pair: RequestPair,
    attempts: AttemptPair,
    differences: tuple[Difference, ...],
) -> PairRow:
    counts = [
        sum(run.count for each in attempts.events if (run := getattr(each, side)) is not None)
        for side in ("a", "b")
    ]
    row = PairRow(
        number,
        begins_turn,
        _cell(pair.a, attempts.a),
        _cell(pair.b, attempts.b),
        (counts[0], counts[1]),
        len(differences),
        "",
        pair.is_framing or attempts.is_framing,
    )
    return replace(row, first=_told(row, pair, differences[0])) if differences else row


def _told(row: PairRow, pair: RequestPair, difference: Difference) -> str:
    """A difference in words: of an attempt or a request that only one side has, how it went."""
    alone = row.b if row.a is None else row.a
    if difference.path not in ALONE or alone is None:
        return told(difference)
    side = "B" if row.a is None else "A"
    if pair.a is None or pair.b is None:
        return f"at request {alone.request}, which only {side} made: {alone.said}"
    a, b = (counted(len(each.tries), "attempt") for each in (pair.a, pair.b))
    return (
        f"at request {alone.request}: A made {a} and B {b}. Only {side} has attempt "
        f"{alone.number}: {alone.said}"
    )


def _cell(request: Request | None, each: Try | None) -> Cell | None:
    if request is None or each is None:
        return None
    attempt = each.attempt
    return Cell(
        request.number,
        request.tries.index(each) + 1,
        request.turn,
        each.why,
        attempt.kind is RequestKind.WARM_UP,
        attempt.transport,
        None if attempt.over_us is None else attempt.over_us - attempt.at_us,
        said(attempt),
        tone_of(attempt.outcome),
    )


def _difference_row(row: PairRow, pair: RequestPair, difference: Difference) -> DifferenceRow:
    a, b = difference.recorded, difference.replayed
    are_texts = isinstance(a, str) and isinstance(b, str)
    return DifferenceRow(
        row.number,
        difference.path,
        difference.change,
        _told(row, pair, difference),
        a,
        b,
        () if are_texts or difference.change is Change.ADDED else _layout(a),
        () if are_texts or difference.change is Change.REMOVED else _layout(b),
        parted(a, b) if are_texts else None,
    )


def _layout(value: Any) -> tuple[Token, ...]:
    return tuple(laid_out(value, _MOST_TOKENS))


def is_too_long(a: Session, b: Session) -> bool:
    """Whether two sessions are more than a page can compare while somebody waits."""
    attempts = [each.attempt for session in (a, b) for each in session.tries]
    size_bytes = sum(each.request_bytes + each.response_bytes for each in attempts)
    return a.events + b.events > MOST_EVENTS or size_bytes > MOST_BYTES
