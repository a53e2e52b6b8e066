"""One scripted situation in which the real client is held against the model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from codex_talk import Task
from provider_script import Script

SSE, WEBSOCKET = "sse", "websocket"
OLD, NEW = "0.99.0", "0.169.0"

SMALL_BUDGETS = {
    "request_max_retries": 1,
    "stream_max_retries": 1,
    "websocket_connect_timeout_ms": 500,
}
IMPATIENT = {"stream_idle_timeout_ms": 1000}

_ENDLESS = "it waits without end, so that the run has no outcome"
_CLOCK = "its words or its wait depend on the time of day"
_REDIRECT = "its HTTP library follows redirects, out of the client's sight"

UNFORESEEN: Mapping[str, Mapping[str, str]] = {
    "post unanswered": {OLD: _ENDLESS, NEW: _ENDLESS},
    "upgrade unanswered": {OLD: _ENDLESS},
    "nobody listens": {NEW: _ENDLESS},
    "status 302": {OLD: _REDIRECT, NEW: _REDIRECT},
    "status 429: usage limit until a time": {OLD: _CLOCK, NEW: _CLOCK},
    "status 503 with a date in retry-after": {NEW: _CLOCK},
    "completed with a fraction": {NEW: "how its JSON library words a fraction is no rule of it"},
    "dropped while tools run": {OLD: "whether it reads an end or a reset is chance"},
}
"""Cells that the model cannot foretell, by version, with the reason."""


class Course(Enum):
    """What the client is to do: all tasks by one client, or each by a new one."""

    ONE_TURN = ((Task.TURN,), False)
    TWO_TURNS = ((Task.TURN, Task.TURN), False)
    RESUMED = ((Task.TURN, Task.TURN), True)
    COMPACTED = ((Task.TURN, Task.COMPACT, Task.TURN), False)
    REVIEWED = ((Task.TURN, Task.REVIEW, Task.TURN), False)

    def __init__(self, tasks: tuple[Task, ...], is_resumed: bool) -> None:
        self.tasks = tasks
        self.is_resumed = is_resumed

    @property
    def has_editor(self) -> bool:
        """Whether it takes an editor to ask for it."""
        return len(self.tasks) > 1 and not self.is_resumed


@dataclass(frozen=True, slots=True)
class Cell:
    """One situation: a script and the transport that the client begins with.

    ``script`` is ``None`` where nobody listens at the provider's address.
    """

    name: str
    transport: str
    script: Script | None
    changes: Mapping[str, int] = field(default_factory=dict)
    course: Course = Course.ONE_TURN

    @property
    def settings(self) -> Mapping[str, int]:
        """The provider's settings: small budgets, unless the cell changes them."""
        return {**SMALL_BUDGETS, **self.changes}

    @property
    def unforeseen(self) -> Mapping[str, str]:
        """By version, why the model cannot foretell the run."""
        return UNFORESEEN.get(self.name, {})

    def __str__(self) -> str:
        """``sse: cut``"""
        return f"{self.transport}: {self.name}"
