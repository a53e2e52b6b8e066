"""Sessions, turns, requests and tries, as values: what a tape comes to (see ``reconstruct``)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from wiretape.attempt import Attempt, Transport
from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.spot import Spot
from wiretape.tool_uses import ToolUse


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt in its place: why it was made, and what that is inferred from.

    A retry is the ``number``-th that was made at its request over its transport; ``None`` for
    anything else. How many the client allows is not on the wire.
    """

    attempt: Attempt
    why: Why
    evidence: str
    spot: Spot | None = None
    number: int | None = None


@dataclass(slots=True)
class Request:
    """One thing that the client wanted of the model, and every try at it."""

    number: int
    tries: list[Try] = field(default_factory=list)
    turn: int = 0

    @property
    def last(self) -> Attempt:
        return self.tries[-1].attempt

    @property
    def role(self) -> Role:
        """The part it plays, told by the last try, which is the likeliest to show it."""
        return self.last.role

    @property
    def turn_id(self) -> str | None:
        """The client's own name for the turn."""
        ids = (each.attempt.turn_id for each in self.tries)
        return next((each for each in ids if each is not None), None)


@dataclass(frozen=True, slots=True)
class Turn:
    """From what the user wanted to the client's last request about it; ``number`` is from 1."""

    number: int
    id: str | None
    requests: tuple[Request, ...]

    @property
    def warm_ups(self) -> int:
        """How many of its requests prepare the server and ask for no answer."""
        return _warm_ups(self.requests)


@dataclass(slots=True)
class Session:
    """One conversation. ``id`` is the client's own, ``None`` where it names none.

    ``client`` is its user agent, or what its handshake shows it to be.
    ``number`` counts the sessions of the tape from 1, in the order in which they began.
    ``parent`` is the session that started it as a sub-agent, and ``agent`` the client's word for
    what it is.
    """

    id: str | None
    client: str | None
    model: str | None = None
    requests: list[Request] = field(default_factory=list)
    number: int = 0
    parent: str | None = None
    agent: str | None = None
    tools: list[ToolUse] = field(default_factory=list)

    @property
    def name(self) -> str:
        """What people call it: its id, or by its number."""
        return self.id or f"unnamed-{self.number}"

    @property
    def tries(self) -> list[Try]:
        return [each for request in self.requests for each in request.tries]

    @property
    def turns(self) -> list[Turn]:
        """The turns, in order."""
        grouped = groupby(self.requests, key=lambda request: request.turn)
        return [
            Turn(number, next((each.turn_id for each in requests if each.turn_id), None), requests)
            for number, requests in ((number, tuple(group)) for number, group in grouped)
        ]

    @property
    def at_us(self) -> int:
        """When the client began to reach for the server: its handshake is time that it waited."""
        return min(each.attempt.opened_us for each in self.tries)

    @property
    def until_us(self) -> int:
        """When the last of it was over; of what is still open, when it was last heard."""
        return max(
            each.attempt.until_us or each.attempt.last_event_us or each.attempt.at_us
            for each in self.tries
        )

    @property
    def warm_ups(self) -> int:
        """How many of its requests prepare the server and ask for no answer."""
        return _warm_ups(self.requests)

    @property
    def events(self) -> int:
        return sum(each.attempt.events for each in self.tries)

    @property
    def transports(self) -> list[Transport]:
        """In the order of their first use."""
        return list(dict.fromkeys(each.attempt.transport for each in self.tries))

    def count(self, why: Why) -> int:
        return sum(each.why is why for each in self.tries)


def _warm_ups(requests: Sequence[Request]) -> int:
    return sum(request.role is Role.WARM_UP for request in requests)
