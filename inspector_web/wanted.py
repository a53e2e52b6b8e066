"""Which events of a tape are wanted, and on what part of it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import re2

from inspector_web.index.letters import literals_in, match_expression
from inspector_web.index.reader import Only
from inspector_web.index.texts import texts_of
from wiretape.crossings import Crossing
from wiretape.facts import Sender
from wiretape.jsontext import mended

EVER_US: Final = 1 << 62
_ANY_CASE: Final = re2.Options()
_ANY_CASE.case_sensitive = False
_ANY_CASE.log_errors = False


class BadPattern(ValueError):
    """A regular expression that is none; the message says why."""


class Found(Protocol):
    """Where in a text something stands."""

    def start(self) -> int: ...
    def end(self) -> int: ...


class _Pattern(Protocol):
    def search(self, text: str) -> Found | None: ...
    def finditer(self, text: str) -> Iterator[Found]: ...


@dataclass(frozen=True)
class Wanted:
    """Which events: those that hold ``text`` (in any case) and ``type``, sent by ``sender``.

    ``is_regex``: the text is a regular expression as RE2 reads it: whatever it is, and whatever
    it meets, the time that it takes grows with the text only. What a request repeats from an
    earlier one counts where it was first sent.

    Raises:
        BadPattern: the text is no regular expression.
    """

    text: str = ""
    type: str = ""
    sender: Sender | None = None
    is_regex: bool = False

    def __post_init__(self) -> None:
        if self.is_regex:
            try:
                self._pattern.search("")
            except re2.error as error:
                why = error.args[0].decode(errors="replace")
                raise BadPattern(f"{self.text!r} is no regular expression: {why}.") from error

    @cached_property
    def _pattern(self) -> _Pattern:
        if self.is_regex:
            pattern: _Pattern = re2.compile(mended(self.text), _ANY_CASE)
            return pattern
        return re.compile(re.escape(self.text), re.IGNORECASE)

    @cached_property
    def literal(self) -> str:
        """A text that every such event holds; empty where none is known."""
        return max(self._literals, key=len, default="")

    @cached_property
    def _literals(self) -> tuple[str, ...]:
        return literals_in(self.text) if self.is_regex else (self.text,)

    def only(self, types: Collection[str]) -> Only:
        """Which blocks can hold such events, where these types are known."""
        return Only(
            [name for name in types if self._is_type(name)] if self.type else None,
            self.sender,
            match_expression(self._literals),
        )

    def takes(self, crossing: Crossing, asked: str | None) -> bool:
        """Whether it is such an event; ``asked`` is what the client said with it for the first
        time, if that is known."""
        if self.sender is not None and crossing.sender is not self.sender:
            return False
        if not self._is_type(crossing.type):
            return False
        return not self.text or any(
            self.found_in(text) is not None for text in (crossing.type, *texts_of(crossing, asked))
        )

    def found_in(self, text: str) -> Found | None:
        """Where in a text the wanted one stands first; of a regular expression, where it would
        stand with each half of a character mended."""
        return self._pattern.search(mended(text) if self.is_regex else text)

    def every(self, text: str) -> Iterator[Found]:
        """Each place in a text where the wanted one stands."""
        return self._pattern.finditer(mended(text) if self.is_regex else text)

    def _is_type(self, name: str) -> bool:
        return self.type.lower() in name.lower()


ANYTHING: Final = Wanted()


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a tape that is looked at: these exchanges, or all, from ``since_us`` until
    before ``until_us``.
    """

    of: frozenset[int] | None = None
    since_us: int = 0
    until_us: int = EVER_US

    def holds(self, exchange: int, at_us: int) -> bool:
        return (self.of is None or exchange in self.of) and self.since_us <= at_us < self.until_us


WHOLE: Final = Part()
