"""What the scripted provider is to do, as data.

A ``Script`` lists behaviours by transport and by number: the first POST gets ``posts[0]``, the
second ``posts[1]``, and the last one listed answers all that come after it. What is said is
apart from how it ends, so that every content can be cut in every way.

Nothing in here depends on the client, the clock or chance: the same script and the same requests
give the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

type Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Ping:
    """A sign of life: a ping frame over WebSocket, a comment over SSE."""

    payload: bytes = b"alive"


type Event = dict[str, object] | str | bytes | Ping
"""One step of a reply. A ``dict`` is a Responses event; ``str`` is the text of a message or of a
``data:`` field as it stands; ``bytes`` are body bytes over HTTP, a binary message over WebSocket.
"""


# What is said.


@dataclass(frozen=True, slots=True)
class Say:
    """A reasoning summary, then a message: the model's final answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Run:
    """A reasoning summary, then a call of whichever shell tool the client offers."""

    command: str


@dataclass(frozen=True, slots=True)
class Fail:
    """``response.created``, then ``response.failed`` with this error."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class WarmUp:
    """``response.created``, then ``response.completed`` with nothing said."""


@dataclass(frozen=True, slots=True)
class Written:
    """Steps written out in the script, whatever they are."""

    events: tuple[Event, ...]


type Content = Say | Run | Fail | WarmUp | Written


# How it ends.


@dataclass(frozen=True, slots=True)
class Complete:
    """Properly: the last chunk over HTTP; over WebSocket the socket stays open."""


@dataclass(frozen=True, slots=True)
class Fin:
    """The TCP connection is closed, without the last chunk and without a close frame."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The TCP connection is reset: over WebSocket once the client has answered a ping."""


@dataclass(frozen=True, slots=True)
class Close:
    """A WebSocket close frame."""

    code: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing more is sent until the client leaves."""


type Ending = Complete | Fin | Reset | Close | Hang


# Behaviours.


@dataclass(frozen=True, slots=True)
class Reply:
    """Says the content, or its first ``only`` events, one write each, and ends.

    ``headers`` are added to the response's (over HTTP). ``pause_s`` goes by before each event.
    """

    content: Content
    end: Ending = Complete()
    only: int | None = None
    headers: Headers = ()
    pause_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Plain:
    """A status and a whole body, instead of a stream or of an accepted upgrade."""

    status: int
    body: str = ""
    headers: Headers = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """No response head at all: the connection ends, or nothing happens on it."""

    end: Fin | Reset | Hang


@dataclass(frozen=True, slots=True)
class Accept:
    """Accepts an upgrade. ``headers`` are added to those of the 101."""

    headers: Headers = ()


type Behaviour = Reply | Plain | Drop | Accept


@dataclass(frozen=True, slots=True)
class Script:
    """Behaviours by transport, each in the order of asking.

    ``messages`` counts WebSocket requests over all sockets, without warm-ups, which have their
    own list. An empty list means that there is no such thing here: 404.
    """

    posts: tuple[Reply | Plain | Drop, ...] = ()
    upgrades: tuple[Accept | Plain | Drop, ...] = ()
    messages: tuple[Reply, ...] = ()
    warm_ups: tuple[Reply, ...] = (Reply(WarmUp()),)
    models: tuple[Plain, ...] = ()


NOT_FOUND = Plain(404, '{"error":{"message":"Not found","type":"invalid_request_error"}}')
"""The answer to everything that the script does not know."""


def pick(behaviours: Sequence[Behaviour], number: int) -> Behaviour | None:
    """The behaviour for the ``number``-th request (from 0): the last one also answers the rest."""
    return behaviours[min(number, len(behaviours) - 1)] if behaviours else None
