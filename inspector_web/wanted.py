"""Which events of a tape are wanted, and on what part of it."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from inspector_web.index.letters import literals_in, match_expression
from inspector_web.index.reader import Only
from wiretape.crossings import Crossing
from wiretape.facts import Sender

EVER_US: Final = 1 << 62
_SEARCHED_CHARACTERS: Final = 1_000_000
"""Of one event, by a regular expression."""


class BadPattern(ValueError):
    """A regular expression that is none; the message says why."""


@dataclass(frozen=True)
class Wanted:
    """Which events: those that hold ``text`` (in any case) and ``type``, sent by ``sender``.

    ``is_regex``: the text is a regular expression. What a request repeats from an earlier one
    counts where it was first sent.

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
                re.compile(self.text)
            except (re.error, OverflowError, RecursionError) as error:
                raise BadPattern(f"{self.text!r} is no regular expression: {error}.") from error

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(self.text if self.is_regex else re.escape(self.text), re.IGNORECASE)

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
        text = (crossing.text or "") if asked is None else asked
        return not self.text or any(map(self.found_in, (crossing.type, crossing.summary, text)))

    def found_in(self, text: str) -> re.Match[str] | None:
        """Where in a text the wanted one stands first."""
        return self._pattern.search(text, 0, _SEARCHED_CHARACTERS if self.is_regex else len(text))

    def every(self, text: str) -> Iterator[re.Match[str]]:
        """Each place in a text where the wanted one stands."""
        return self._pattern.finditer(text)

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
