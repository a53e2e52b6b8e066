"""What a turn wants done next, and what it tells the user: the outputs of its machine."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Drop the socket if there is one, wait, and ask for a WebSocket."""

    delay_ms: int = 0


@dataclass(frozen=True, slots=True)
class WarmUp:
    """Ask on the socket with ``generate: false``."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Send the request on the socket."""


@dataclass(frozen=True, slots=True)
class Post:
    """Wait, and send the request over HTTP."""

    delay_ms: int = 0


@dataclass(frozen=True, slots=True)
class RunTools:
    """The answer calls tools: run them, then ``follow_up()``."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The turn is over, and well. The command's exit code is 0."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The turn is over with this message. The command's exit code is 1."""

    text: str


type Action = Upgrade | WarmUp | Ask | Post | RunTools | Finish | Fail


class PrintedKind(StrEnum):
    """How ``codex exec --json`` prints it."""

    ERROR = "error"
    """A line of type ``error``."""
    WARNING = "warning"
    """An item of type ``error``."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Something told to the user while the turn goes on: ``text``, and why, where it says."""

    kind: PrintedKind
    text: str
    details: str = ""

    @property
    def line(self) -> str:
        """The message as ``codex exec --json`` prints it."""
        return f"{self.text} ({self.details})" if self.details.strip() else self.text
