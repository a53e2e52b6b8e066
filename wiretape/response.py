"""One response, put together from its events: how it stands, and how it ended.

``STEPS`` says what each event does to the response in each state; code runs it and a test walks
it. The first end counts: ``response.completed`` after ``response.failed`` is an anomaly here, and
what a client makes of it is that client's matter. Nothing raises and nothing is dropped: events
that are out of place, malformed or no JSON are kept as anomalies, unknown ones in ``unknown``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from wiretape.events import (
    Channel,
    ErrorEvent,
    ErrorInfo,
    Event,
    ItemEvent,
    Lifecycle,
    Phase,
    UnknownEvent,
    Usage,
)
from wiretape.jsontext import Unparsable
from wiretape.output import CHANGES_NOTHING, Anomaly, AnomalyKind, OutputItem, OutputItems


class Status(StrEnum):
    """How a response stands."""

    WAITING = "waiting"
    """Nothing about it has come."""
    OPEN = "open"
    COMPLETED = "completed"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    ERRORED = "errored"
    """An ``error`` event came; ``response.failed`` may follow."""


class Trigger(StrEnum):
    """What an event does to the response."""

    CREATED = "created"
    PROGRESS = "progress"
    OUTPUT = "output"
    COMPLETED = "completed"
    DONE = "done"
    FAILED = "failed"
    INCOMPLETE = "incomplete"
    ERROR = "error"
    OTHER = "other"
    """Nothing: it is unknown, malformed or no JSON."""


type _Row = dict[Trigger, tuple[Status, AnomalyKind | None]]


def _before_end(anomaly: AnomalyKind | None) -> _Row:
    """What moves a response on, wrong in one way or not at all."""
    return {
        Trigger.PROGRESS: (Status.OPEN, anomaly),
        Trigger.OUTPUT: (Status.OPEN, anomaly),
        Trigger.COMPLETED: (Status.COMPLETED, anomaly),
        Trigger.DONE: (Status.COMPLETED, anomaly),
        Trigger.FAILED: (Status.FAILED, anomaly),
        Trigger.INCOMPLETE: (Status.INCOMPLETE, anomaly),
        Trigger.ERROR: (Status.ERRORED, None),
    }


def _after_end(status: Status) -> _Row:
    row: _Row = dict.fromkeys(Trigger, (status, AnomalyKind.AFTER_END))
    return row | {Trigger.OTHER: (status, None)}


STEPS: dict[Status, _Row] = {
    Status.WAITING: {
        **_before_end(AnomalyKind.NOT_CREATED),
        Trigger.CREATED: (Status.OPEN, None),
        Trigger.OTHER: (Status.WAITING, None),
    },
    Status.OPEN: {
        **_before_end(None),
        Trigger.CREATED: (Status.OPEN, AnomalyKind.CREATED_AGAIN),
        Trigger.OTHER: (Status.OPEN, None),
    },
    # Over WebSocket ``response.done`` may follow the end that it repeats.
    Status.COMPLETED: _after_end(Status.COMPLETED) | {Trigger.DONE: (Status.COMPLETED, None)},
    Status.FAILED: _after_end(Status.FAILED),
    Status.INCOMPLETE: _after_end(Status.INCOMPLETE),
    Status.ERRORED: _after_end(Status.ERRORED) | {Trigger.FAILED: (Status.FAILED, None)},
}
"""State of a response and trigger to the next state, and the anomaly that this is."""

_TRIGGERS = {
    Phase.CREATED: Trigger.CREATED,
    Phase.QUEUED: Trigger.PROGRESS,
    Phase.IN_PROGRESS: Trigger.PROGRESS,
    Phase.COMPLETED: Trigger.COMPLETED,
    Phase.DONE: Trigger.DONE,
    Phase.FAILED: Trigger.FAILED,
    Phase.INCOMPLETE: Trigger.INCOMPLETE,
}


@dataclass(frozen=True, slots=True)
class ResponseState:
    """A response as far as it has come. ``ended_by`` is the type of the event that ended it."""

    status: Status
    ended_by: str | None
    response_id: str | None
    items: tuple[OutputItem, ...]
    usage: Usage | None
    error: ErrorInfo | None
    incomplete_reason: str | None
    event_count: int
    unknown: tuple[UnknownEvent, ...]
    anomalies: tuple[Anomaly, ...]

    def text(self, channel: Channel = Channel.TEXT) -> str:
        """The texts of all items in the channel, in order."""
        return "".join(item.text(channel) for item in self.items)


class ResponseFold:
    """Folds the events of one response, in order. ``state()`` tells how it stands so far."""

    def __init__(self) -> None:
        self.status = Status.WAITING
        self._ended_by: str | None = None
        self._response_id: str | None = None
        self._items = OutputItems()
        self._usage: Usage | None = None
        self._error: ErrorInfo | None = None
        self._incomplete_reason: str | None = None
        self._event_count = 0
        self._unknown: list[UnknownEvent] = []
        self._anomalies: list[Anomaly] = []

    @property
    def is_over(self) -> bool:
        """Whether the response has ended, in whatever way."""
        return self.status not in (Status.WAITING, Status.OPEN)

    def add(self, event: Event | Unparsable) -> None:
        """Lets the next event of the response count."""
        status, anomaly = STEPS[self.status][_trigger(event)]
        anomalies = [] if anomaly is None else [anomaly]
        if anomaly not in CHANGES_NOTHING:
            was_over, self.status = self.is_over, status
            if self.is_over and not was_over and isinstance(event, Event):
                self._ended_by = event.type
            anomalies += self._take(event)
        self._anomalies += (Anomaly(kind, self._event_count, event) for kind in anomalies)
        self._event_count += 1

    def state(self) -> ResponseState:
        """How the response stands after the events so far."""
        return ResponseState(
            status=self.status,
            ended_by=self._ended_by,
            response_id=self._response_id,
            items=self._items.items(),
            usage=self._usage,
            error=self._error,
            incomplete_reason=self._incomplete_reason,
            event_count=self._event_count,
            unknown=tuple(self._unknown),
            anomalies=tuple(self._anomalies),
        )

    def _take(self, event: Event | Unparsable) -> list[AnomalyKind]:
        """Changes the response as the event says, and returns what is wrong with that."""
        match event:
            case Lifecycle():
                return self._take_lifecycle(event)
            case ItemEvent():
                return self._items.fold(event)
            case ErrorEvent(error=error):
                self._error = error
            case UnknownEvent(problem=problem):
                self._unknown.append(event)
                return [] if problem is None else [AnomalyKind.MALFORMED]
            case Unparsable():
                return [AnomalyKind.UNPARSABLE]
        return []

    def _take_lifecycle(self, event: Lifecycle) -> list[AnomalyKind]:
        self._usage = event.usage or self._usage
        self._error = event.error or self._error
        self._incomplete_reason = event.incomplete_reason or self._incomplete_reason
        if self._response_id is None:
            self._response_id = event.response_id
        elif event.response_id not in (None, self._response_id):
            return [AnomalyKind.RESPONSE_ID_CHANGED]
        return []


def fold(events: Iterable[Event | Unparsable]) -> ResponseState:
    """The response that the events make up."""
    folding = ResponseFold()
    for event in events:
        folding.add(event)
    return folding.state()


def _trigger(event: Event | Unparsable) -> Trigger:
    match event:
        case Lifecycle(phase=phase):
            return _TRIGGERS[phase]
        case ItemEvent():
            return Trigger.OUTPUT
        case ErrorEvent():
            return Trigger.ERROR
        case _:
            return Trigger.OTHER
