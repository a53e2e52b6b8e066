"""What the client does not decide itself: what it is to ask, and what its tools give."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from wiretape.client.events import Item
from wiretape.client.requests import Request
from wiretape.facts import Headers


@dataclass(frozen=True, slots=True)
class Prompt:
    """What one turn asks.

    ``request`` is the first of the turn, with the whole conversation in its input; ``warm_up`` is
    what a client that warms up sends before it. ``begins`` says that a client has just started.
    """

    request: Request
    warm_up: Request
    begins: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """What a client says of itself in headers, beside those of the conversation."""

    upgrade: Headers = ()
    post: Headers = ()


class User(Protocol):
    """Whoever uses the client, the tools included."""

    def next_prompt(self, said: Sequence[Item]) -> Prompt | None:
        """What the next turn asks, after all that was said; ``None`` where nothing is wanted."""

    def sent_back(self, item: Item) -> Item | None:
        """An item of an answer as the client repeats it; ``None`` for one that it leaves out."""

    def output_of(self, call: Item) -> Item:
        """What a tool gives when it is called so."""
