"""Faults for the real client, each with a provider that fails in the same way, as data.

What the model of the client foretells with that provider is what the real client must do with the
fault. The provider shares no code with the faults.
"""

import json
from dataclasses import dataclass

import provider_events
from provider_script import (
    Close,
    Complete,
    Drop,
    Ending,
    Event,
    Fin,
    Hang,
    Plain,
    Reply,
    Reset,
    Say,
    Script,
    Written,
)
from situations import ANSWER, OPEN, SAY, Transport

EVENTS: tuple[Event, ...] = provider_events.events(Say(ANSWER), 1, ())
LAST = len(EVENTS) - 1
UNKNOWN: Event = {"type": "response.wiretape.unknown"}
SETTINGS = {"stream_max_retries": 2, "request_max_retries": 2, "stream_idle_timeout_ms": 1000}
MANY = 20


@dataclass(frozen=True, slots=True)
class FaultCell:
    """A fault of the request that is answered, without its number, and what the provider does.

    ``fails`` is its answer to each of the first ``times`` tries; ``refuses`` what it says to as
    many handshakes.
    """

    fault: str
    fails: Reply | Plain | Drop | None = None
    refuses: Plain | Drop | None = None
    times: int = 1
    transports: tuple[Transport, ...] = tuple(Transport)

    def script(self, transport: Transport) -> Script:
        """What the provider does."""
        failing = () if self.fails is None else (self.fails,) * self.times
        refusing = () if self.refuses is None else (self.refuses,) * self.times
        if transport is Transport.SSE:
            return Script(posts=(*failing, *SAY))
        messages = tuple(each for each in failing if isinstance(each, Reply))
        return Script(upgrades=(*refusing, *OPEN), messages=(*messages, *SAY), posts=SAY)

    def __str__(self) -> str:
        return self.fault


def _until(end: Ending, only: int = LAST) -> Reply:
    return Reply(Say(ANSWER), end, only=only)


def _said(*events: Event) -> Reply:
    return Reply(Written(events))


def _half(event: Event) -> Event:
    text = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    return text[: len(text) // 2]


def _status(status: int, words: str, *headers: tuple[str, str]) -> Plain:
    error = {"type": "wiretape_fault", "message": f"a fault: {status} {words}"}
    return Plain(status, json.dumps({"error": error}), headers)


_SSE, _WEBSOCKET = (Transport.SSE,), (Transport.WEBSOCKET,)

FAULTS = (
    FaultCell(":cut", _until(Fin())),
    FaultCell(".1:cut", _until(Fin(), 0)),
    FaultCell(f"x{MANY}.1:cut", _until(Fin(), 0), times=MANY),
    FaultCell(":reset", _until(Reset())),
    FaultCell(":stall", _until(Hang())),
    FaultCell(".3:half-open", _until(Hang(), 2)),
    FaultCell(".2:stall=0.2", _until(Complete(), LAST + 1)),
    FaultCell(":slow=0.2", _until(Complete(), LAST + 1)),
    FaultCell(":close=1011,too busy", _until(Close(1011, "too busy")), transports=_WEBSOCKET),
    FaultCell(":drop", _until(Complete())),
    FaultCell(".1:duplicate", _said(EVENTS[0], *EVENTS)),
    FaultCell(":reorder", _said(*EVENTS[:-2], EVENTS[-1], EVENTS[-2])),
    FaultCell(":corrupt", _said(*EVENTS[:-1], _half(EVENTS[-1]))),
    FaultCell(":unknown", _said(*EVENTS[:-1], UNKNOWN, EVENTS[-1])),
    FaultCell(
        ":binary", _said(*EVENTS[:-1], b"\x00wiretape\xff", EVENTS[-1]), transports=_WEBSOCKET
    ),
    FaultCell(":status=400", _status(400, "Bad Request"), transports=_SSE),
    FaultCell(":status=503", _status(503, "Service Unavailable"), transports=_SSE),
    FaultCell(
        ":status=429,retry-after=1",
        _status(429, "Too Many Requests", ("retry-after", "1")),
        transports=_SSE,
    ),
    FaultCell(
        f"x{MANY}:status=500", _status(500, "Internal Server Error"), times=MANY, transports=_SSE
    ),
    FaultCell(":refuse", refuses=_status(426, "Upgrade Required"), transports=_WEBSOCKET),
    FaultCell(
        f"x{MANY}:refuse",
        refuses=_status(426, "Upgrade Required"),
        times=MANY,
        transports=_WEBSOCKET,
    ),
    FaultCell(
        f"x{MANY}:refuse=500",
        refuses=_status(500, "Internal Server Error"),
        times=MANY,
        transports=_WEBSOCKET,
    ),
    FaultCell(".0:reset", Drop(Reset()), Drop(Reset())),
)
