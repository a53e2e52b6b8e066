"""The shape of an answer: what does not change from one answer of a model to the next."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, Final

from replayer.reference.happenings import Left
from wiretape.client.wire import (
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Refused,
    Said,
    SaidBytes,
    TimedOut,
    Unanswered,
)
from wiretape.events import Event, Lifecycle, parse_event
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.response import ResponseFold


@dataclass(frozen=True, slots=True)
class Shape:
    """``events`` are types in order, a run of the same one counted once; ``items`` the types of
    what was put out; ``usage`` the paths of its fields; ``error`` the type and the code that a
    refusal, or a failure, states; ``end`` is what ended it."""

    status: int | None
    events: tuple[str, ...]
    items: tuple[str, ...]
    usage: tuple[str, ...]
    error: tuple[str, ...]
    end: str

    def differs_in(self, other: "Shape") -> list[str]:
        """The names of what is not the same."""
        names = (each.name for each in fields(self))
        return [name for name in names if getattr(self, name) != getattr(other, name)]


_ENDS: Final[Mapping[type[Input | Left], str]] = {
    Refused: "a refusal",
    Ended: "the end of the stream",
    Closed: "a close frame",
    Broken: "a broken connection",
    Unanswered: "a broken connection",
    TimedOut: "silence",
    SaidBytes: "a binary message",
    Left: "the client's leaving",
}


class AnswerReader:
    """Reads one answer as a client would: to the event that ends it, and no further.

    ``accepted`` is the status of an answer that is no refusal.
    """

    def __init__(self, accepted: int) -> None:
        self._accepted = accepted
        self._status: int | None = None
        self._types: list[str] = []
        self._usage: tuple[str, ...] = ()
        self._error: tuple[str, ...] = ()
        self._end: str | None = None
        self._fold = ResponseFold()

    @property
    def is_over(self) -> bool:
        """Nothing more is to be read."""
        return self._end is not None

    def add(self, what: Input | Left) -> None:
        """Takes in what happens next."""
        match what:
            case Opened():
                self._status = self._accepted
                return
            case Said(text):
                self._add_event(text)
                return
            case Refused(status, _, body):
                self._status = status
                raw = parse_object(body)
                self._error = () if isinstance(raw, Unparsable) else _named(object_at(raw, "error"))
        self._end = _ENDS.get(type(what), self._end)

    def shape(self) -> Shape:
        """The shape of what was read."""
        return Shape(
            self._status,
            tuple(kind for kind, _ in groupby(self._types)),
            tuple(item.type for item in self._fold.state().items),
            self._usage,
            self._error,
            self._end or "nothing",
        )

    def _add_event(self, text: str) -> None:
        event = parse_event(text)
        self._types.append(event.type or "no type" if isinstance(event, Event) else "no JSON")
        self._fold.add(event)
        if isinstance(event, Lifecycle):
            response = object_at(event.raw, "response")
            self._usage = tuple(_paths(object_at(response, "usage"))) or self._usage
            self._error = _named(object_at(response, "error")) or self._error
        if self._fold.is_over:
            self._end = self._fold.state().ended_by


def _named(error: JsonObject) -> tuple[str, ...]:
    return tuple(said for key in ("type", "code") if (said := string_at(error, key)) is not None)


def _paths(value: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key in sorted(value):
        if isinstance(value[key], dict):
            yield from _paths(value[key], f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"
