"""Where the words of a drawing stand: they are measured, then placed, or left out.

Bars are in per cent of a width that nobody knows before the page is shown; words are in pixels. So
each is placed for three kinds of screen, on the narrowest plot that one of its kind has: what fits
there fits on every wider one. What finds no place is said elsewhere: in the title of its bar, or
beside its lane. The invariant tests keep: no two words of a line touch, on any screen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from inspector_web.filters import axis
from inspector_web.window import ROUND_US, AxisMark


class Screen(StrEnum):
    """A kind of screen: below 600 px, below 1200 px, or wider; the stylesheet has the same."""

    PHONE = "phone"
    TABLET = "tablet"
    DESK = "desk"


LEAST_PX: Final = (292, 551, 840)
"""How wide the plot is at least on each kind; no phone is narrower than 320 px."""
_BESIDE_PX: Final = 5
_LEFT_PX: Final = 4  # from the arrow that leads down there
_APART_PX: Final = 4
_OVERHANG_PX: Final = 8  # less than the margin around a plot

_NARROW: Final = frozenset("ijlftr.,:;'!()| ")
_WIDE: Final = frozenset("mwMW%µ✕✓")


class Look(StrEnum):
    """What words are like; the stylesheet has the same names."""

    IN = "in"
    """Within a bar."""
    SILENT = "silent"
    FLAG = "flag"
    MARK = "mark-text"
    """A time on the axis."""


_EM_PX: Final = {Look.IN: 11.0, Look.SILENT: 12.0, Look.FLAG: 13.2, Look.MARK: 11.0}
"""The size of the letters; a tenth more where they are bold."""


class Place(StrEnum):
    """Where words stand, seen from their point: in the line of the bars, or in the one below."""

    BESIDE = "beside"
    """In the line of the bars, to the right."""
    MIDDLE = "middle"
    """Below, to both sides."""
    LEFT = "left"
    """Below, up to the point."""
    RIGHT = "right"
    """Below, from the point on."""
    NONE = "none"
    """Nowhere: there is no room."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Words for a point, ``x`` in per cent, and the places that they may have, best first.

    ``until`` is how far they may go in the line of the bars, in per cent of the width.
    """

    x: float
    text: str
    look: Look
    places: tuple[Place, ...]
    tone: str = ""
    until: float = 100.0


@dataclass(frozen=True, slots=True)
class Label:
    """Words with their place on each kind of screen; of a time on an axis, with that."""

    x: float
    text: str
    look: Look
    tone: str
    phone: Place
    tablet: Place
    desk: Place
    at_us: int | None = None


def placed(wishes: Sequence[Wish]) -> tuple[Label, ...]:
    """The words of one lane, each where it has room: those that come first choose first."""
    screens = [list(_places(wishes, plot_px)) for plot_px in LEAST_PX]
    return tuple(
        Label(wish.x, wish.text, wish.look, wish.tone, *places)
        for wish, *places in zip(wishes, *screens, strict=True)
        if any(place is not Place.NONE for place in places)
    )


def axis_labels(marks: Iterable[AxisMark]) -> tuple[Label, ...]:
    """The times on an axis, and on a narrow screen the rounder ones of them, as there is room.

    One that would leave the plot is left out, and changes nothing for the others: so a window that
    moves keeps its steps.
    """
    wishes = {
        mark.at_us: Wish(mark.x, axis(mark.at_us), Look.MARK, (Place.MIDDLE,)) for mark in marks
    }
    screens = [_roundest(wishes, plot_px) for plot_px in LEAST_PX]
    labels: list[Label] = []
    for at_us, wish in wishes.items():
        phone, tablet, desk = (
            Place.MIDDLE if at_us in written else Place.NONE for written in screens
        )
        labels.append(Label(wish.x, wish.text, wish.look, wish.tone, phone, tablet, desk, at_us))
    return tuple(labels)


def width_px(text: str, look: Look) -> float:
    """How wide words are at most, in any of the usual fonts."""
    letters = sum(0.4 if c in _NARROW else 0.98 if c in _WIDE else 0.62 for c in text)
    return letters * _EM_PX[look]


def _places(wishes: Iterable[Wish], plot_px: float) -> Iterator[Place]:
    taken: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
    for wish in wishes:
        place = Place.NONE
        for wanted in wish.places:
            start, end = _extent(wish, wanted, plot_px)
            line = taken[wanted is Place.BESIDE]
            if _is_within(wish, wanted, plot_px) and all(
                end + _APART_PX <= other_start or other_end + _APART_PX <= start
                for other_start, other_end in line
            ):
                line.append((start, end))
                place = wanted
                break
        yield place


def _is_within(wish: Wish, place: Place, plot_px: float) -> bool:
    """Whether words in that place stay in the plot, and where they may be."""
    start, end = _extent(wish, place, plot_px)
    most = plot_px + _OVERHANG_PX
    if place is Place.BESIDE and wish.until < 100:
        most = wish.until * plot_px / 100 - _APART_PX
    return start >= -_OVERHANG_PX and end <= most


def _extent(wish: Wish, place: Place, plot_px: float) -> tuple[float, float]:
    """From where to where words reach, in pixels from the left of the plot."""
    wide = width_px(wish.text, wish.look)
    x = wish.x * plot_px / 100
    start = {
        Place.BESIDE: x + _BESIDE_PX,
        Place.MIDDLE: x - wide / 2,
        Place.LEFT: x - wide - _LEFT_PX,
        Place.RIGHT: x,
    }[place]
    return start, start + wide


def _roundest(wishes: Mapping[int, Wish], plot_px: float) -> Set[int]:
    """The times that are written: as many as have room beside one another."""
    within = [at_us for at_us, wish in wishes.items() if _is_within(wish, Place.MIDDLE, plot_px)]
    written = within
    for step_us in ROUND_US:
        written = [at_us for at_us in within if at_us % step_us == 0]
        if Place.NONE not in _places([wishes[at_us] for at_us in written], plot_px):
            break
    return set(written)
