"""What is offered to be done again, apart from the recording itself: faults, and files to write."""

from dataclasses import dataclass
from typing import Final

from inspector_web.exports import Form
from wiretape.asked import RequestKind
from wiretape.attempt import Attempt, Transport
from wiretape.crossings import COMMENT, HTTP_BODY, Crossing
from wiretape.facts import Sender


@dataclass(frozen=True, slots=True)
class OfferedFault:
    """A fault that is offered: what the client would meet, and how ``--fault`` has it.

    ``needs_event``: it is about one; else it is about the whole answer, or its end. ``transport``
    is the one that it is possible over, ``None`` for both. ``more`` are options of the replay.
    """

    what: str
    action: str
    needs_event: bool
    transport: Transport | None = None
    more: tuple[str, ...] = ()

    def is_for(self, attempt: Attempt, *, has_event: bool) -> bool:
        """Whether it makes sense for that attempt."""
        if attempt.kind is RequestKind.UPGRADE:
            return self.action.startswith("refuse")
        is_possible = self.transport in (None, attempt.transport)
        return (
            is_possible and self.needs_event == has_event and not self.action.startswith("refuse")
        )


FAULTS: Final = (
    OfferedFault("The connection is lost before this event", "cut", True),
    OfferedFault("The connection is reset before it", "reset", True),
    OfferedFault("Close 1011 before it", "close=1011", True, Transport.WEBSOCKET),
    OfferedFault(
        "Silence before it, until the client leaves: after 5 seconds, if the command is Codex",
        "stall",
        needs_event=True,
        more=("--longest-silence", "5"),
    ),
    OfferedFault("It never comes", "drop", True),
    OfferedFault("It comes twice", "duplicate", True),
    OfferedFault("Half of its JSON comes", "corrupt", True),
    OfferedFault("An event that nobody knows comes before it", "unknown", True),
    OfferedFault("The connection is lost before the answer's last event", "cut", False),
    OfferedFault("The first byte takes 10 seconds", "slow=10", False),
    OfferedFault("Close 1011 before the last event", "close=1011", False, Transport.WEBSOCKET),
    OfferedFault("The server fails: 500", "status=500", False, Transport.HTTP),
    OfferedFault("Too many requests: 429", "status=429", False, Transport.HTTP),
    OfferedFault("The handshake is refused: 426", "refuse=426", False, Transport.WEBSOCKET),
)


@dataclass(frozen=True, slots=True)
class OfferedFile:
    """A file that `wiretape export` writes, of the ``kind`` that it is told."""

    what: str
    form: Form
    kind: str
    ending: str
    more: tuple[str, ...] = ()


FILES: Final = (
    OfferedFile(
        "A script: the recording as text, to read and edit", Form.SESSION_SCRIPT, "script", "script"
    ),
    OfferedFile(
        "The same for a repository: without what differs from run to run",
        Form.SESSION_SCRIPT,
        "script",
        "stable.script",
        ("--stable",),
    ),
    OfferedFile(
        "Fixtures for Codex up to about 0.130, and what they cannot hold is told",
        Form.FIXTURE,
        "fixture",
        "sse",
        ("--lossy",),
    ),
)


def is_event_of_answer(crossing: Crossing) -> bool:
    """Whether a fault can be asked for before it: an event that a server said."""
    is_said = crossing.sender is Sender.SERVER and crossing.text is not None
    return is_said and crossing.type not in (HTTP_BODY, COMMENT)
