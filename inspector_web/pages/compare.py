"""Two sessions side by side: where they part first, and which attempt belongs to which.

What is compared, and what is left out, is ``wiretape.comparing``'s to say: this only draws it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Self

from inspector_web.addresses import choice_in
from inspector_web.pages.head import SessionHead
from inspector_web.pages.pairs import DifferenceRow, PairRow, paired
from inspector_web.took import Took
from wiretape.comparing.causes import ALONE
from wiretape.comparing.pairs import Comparison
from wiretape.sessions import Session

MOST_EVENTS: Final = 100_000
MOST_BYTES: Final = 40_000_000
"""Of both sessions together, asked and answered; more would keep the page waiting."""
_MOST_ROWS: Final = 1000
MOST_CHOICES: Final = 200


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
    """A session that can be chosen, ``value`` in the address.

    ``is_likely``: it belongs to the other one, as a replay or by its first words.
    """

    value: str
    words: str
    is_likely: bool


@dataclass(frozen=True, slots=True)
class ComparePage:
    """A comparison. Without two sides there is only what to choose from.

    ``took`` is what the time of both went to. ``differences`` are the first of the ``causes``, from
    which all that were ``found`` follow. ``pairs`` counts the rows of all, ``rows`` are those that
    are shown. ``is_too_long``: the sessions are only compared by ``command``.
    """

    query: CompareQuery
    choices: tuple[Choice, ...]
    a: SessionHead | None
    b: SessionHead | None
    command: str | None
    is_too_long: bool
    took: tuple[Took, ...]
    found: int
    causes: int
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
    took: tuple[Took, ...] = (),
) -> ComparePage:
    """The page without a comparison."""
    return ComparePage(query, choices, a, b, command, is_too_long, took, 0, 0, 0, (), (), (), ())


def compare_page(
    query: CompareQuery,
    choices: tuple[Choice, ...],
    heads: tuple[SessionHead, SessionHead],
    command: str,
    comparison: Comparison,
    ignored_nothing: tuple[str, ...],
    took: tuple[Took, ...],
) -> ComparePage:
    """The page of a comparison; ``command`` is the command line that says the same."""
    found = paired(comparison)
    shown = [row for row in found.rows if query.show is Shown.ALL or row.differences]
    return ComparePage(
        query,
        choices,
        *heads,
        command,
        False,
        took,
        found.found,
        found.causes,
        len(found.rows),
        found.differences,
        tuple(shown[:_MOST_ROWS]),
        comparison.left_out,
        ignored_nothing,
    )


def is_too_long(a: Session, b: Session) -> bool:
    """Whether two sessions are more than a page can compare while somebody waits."""
    attempts = [each.attempt for session in (a, b) for each in session.tries]
    size_bytes = sum(each.request_bytes + each.response_bytes for each in attempts)
    return a.events + b.events > MOST_EVENTS or size_bytes > MOST_BYTES
