"""Runs of the real Codex against faults of known cause, and the kinds of finding they deserve."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import provider_events
from provider_script import (
    Close,
    Content,
    Drop,
    Event,
    Fail,
    Fin,
    Hang,
    Ping,
    Reply,
    Run,
    Say,
    Script,
    Written,
)
from situations import ANSWER, OPEN, RUN, SAY, SITUATIONS, TURN_STATE, Situation, Transport, Version

from wiretape.diagnosis.kinds import Kind

SSE, WEBSOCKET = Transport.SSE, Transport.WEBSOCKET
OLD, NEW = Version.OLD, Version.NEW


@dataclass(frozen=True, slots=True)
class LabelledRun:
    """A situation for one version over one transport, and what is to be found in its recording."""

    name: str
    situation: Situation
    version: Version
    transport: Transport
    expected: frozenset[Kind]

    @property
    def id(self) -> str:
        """The run in one word."""
        return f"{self.name}-{self.version}-{self.transport}"


def written(content: Content, *, without_end: bool = False) -> tuple[Event, ...]:
    events = provider_events.events(content, 9, ("exec_command",))
    return events[:-1] if without_end else events


def first(reply: Reply, *, settings: Mapping[str, int] = {}) -> Situation:
    """The first request is answered in this way, all others well; over either transport."""
    scripts = {
        SSE: Script(posts=(reply, *SAY)),
        WEBSOCKET: Script(upgrades=OPEN, messages=(reply, *SAY)),
    }
    return Situation("a fault, then an answer", scripts, settings)


def _ended_by(event: Event) -> Reply:
    return Reply(Written((*written(Say(ANSWER), without_end=True), event)), headers=TURN_STATE)


_DETAILS = {"id": "resp_0009", "incomplete_details": {"reason": "max_output_tokens"}}
_BROKEN: tuple[Event, ...] = (
    '{"type": "response.output_text.delta", "delta": "cut off',
    {"type": "response.output_item.done", "item": {"type": "function_call", "name": "nothing"}},
)
_QUIET: tuple[Event, ...] = (*written(Say(ANSWER))[:3], *(Ping(),) * 8)

_SITUATIONS: Mapping[str, Situation] = {
    **SITUATIONS,
    "failure-held-open": first(
        Reply(Fail("server_error", "A scripted failure"), Hang()),
        settings={"stream_idle_timeout_ms": 1500},
    ),
    "pings-in-a-silence": first(
        Reply(Written(_QUIET), Hang(), pause_s=0.1), settings={"stream_idle_timeout_ms": 600}
    ),
    "done-alone": first(
        _ended_by({"type": "response.done", "response": {"id": "resp_0009", "usage": None}})
    ),
    "completed-without-id": first(
        _ended_by({"type": "response.completed", "response": {"usage": None}})
    ),
    "out-of-tokens": first(_ended_by({"type": "response.incomplete", "response": _DETAILS})),
    "unreadable-events": first(
        Reply(Written((*_BROKEN, *written(Say(ANSWER)))), headers=TURN_STATE)
    ),
    "rate-limit-in-words": first(
        Reply(Fail("rate_limit_exceeded", "Rate limit reached. Please try again in 0.7s."))
    ),
    "a-binary-message": first(Reply(Written((*written(Say(ANSWER))[:3], b"\x00\x01")), Hang())),
    "always-cut": Situation(
        "every stream is cut",
        {SSE: Script(posts=(Reply(Say(ANSWER), Fin(), only=3),))},
        {"stream_max_retries": 5},
    ),
    "cut-after-a-call": first(
        Reply(Written(written(Run("echo one"), without_end=True)), Fin(), headers=TURN_STATE)
    ),
    "response-forgotten": Situation(
        "the response that the client goes on from is not known",
        {
            WEBSOCKET: Script(
                upgrades=OPEN,
                messages=(
                    RUN[0],
                    Reply(
                        Written(
                            (
                                {
                                    "type": "error",
                                    "status": 400,
                                    "error": {
                                        "type": "invalid_request_error",
                                        "code": "previous_response_not_found",
                                        "message": "Previous response not found.",
                                    },
                                },
                            )
                        )
                    ),
                    *SAY,
                ),
            )
        },
    ),
    "handshake-unanswered": Situation(
        "upgrades are taken and never answered; the older client waits for longer than a test",
        {WEBSOCKET: Script(upgrades=(Drop(Hang()),), posts=SAY)},
        {"websocket_connect_timeout_ms": 400},
    ),
    "closed-within-a-tool-round": Situation(
        "the answer to a tool's output is closed with 1001 and tried again",
        {
            WEBSOCKET: Script(
                upgrades=OPEN,
                messages=(RUN[0], Reply(Say(ANSWER), Close(1001, "going away"), only=9), *SAY),
            )
        },
    ),
}

_TABLE: tuple[tuple[str, tuple[Kind, ...], tuple[tuple[Version, Transport], ...]], ...] = (
    ("tool-round", (), ((OLD, SSE), (OLD, WEBSOCKET), (NEW, SSE), (NEW, WEBSOCKET))),
    ("three-rounds", (), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("unknown-events", (), ((OLD, SSE), (NEW, SSE), (NEW, WEBSOCKET))),
    ("done-alone", (), ((OLD, SSE),)),
    ("done-alone", (Kind.TERMINAL_MISSING,), ((NEW, SSE),)),
    ("cut-then-answer", (Kind.CLOSED_EARLY,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("dropped-then-answer", (Kind.CLOSED_EARLY,), ((NEW, WEBSOCKET),)),
    ("reset-then-answer", (Kind.CLOSED_EARLY,), ((OLD, WEBSOCKET), (NEW, SSE))),
    ("no-head-then-answer", (Kind.CLOSED_EARLY,), ((NEW, SSE),)),
    ("closed-within-a-tool-round", (Kind.CLOSED_EARLY,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("cut-after-a-call", (Kind.CLOSED_EARLY,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("always-cut", (Kind.CLOSED_EARLY, Kind.RETRY_STORM), ((OLD, SSE),)),
    (
        "closed-until-fallback",
        (Kind.CLOSED_EARLY, Kind.FALLBACK),
        ((OLD, WEBSOCKET), (NEW, WEBSOCKET)),
    ),
    ("upgrade-426", (Kind.FALLBACK,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("upgrade-500", (Kind.HTTP_ERROR, Kind.FALLBACK), ((NEW, WEBSOCKET),)),
    ("handshake-unanswered", (Kind.NO_HEAD, Kind.FALLBACK), ((NEW, WEBSOCKET),)),
    ("error-then-answer", (Kind.HTTP_ERROR,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("hang-then-answer", (Kind.SILENCE,), ((OLD, SSE), (OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("pings-in-a-silence", (Kind.SILENCE,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET), (NEW, SSE))),
    (
        "failure-held-open",
        (Kind.RESPONSE_FAILED, Kind.FAILURE_MASKED),
        ((OLD, SSE), (NEW, SSE)),
    ),
    ("busy-then-answer", (Kind.RATE_LIMITED,), ((OLD, SSE), (NEW, SSE), (NEW, WEBSOCKET))),
    ("rate-limit-in-words", (Kind.RATE_LIMITED,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("context-length", (Kind.FATAL,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("error-event", (Kind.FATAL,), ((NEW, WEBSOCKET),)),
    ("bad-request", (Kind.FATAL,), ((NEW, SSE),)),
    ("out-of-tokens", (Kind.INCOMPLETE,), ((OLD, SSE), (NEW, SSE))),
    ("completed-without-id", (Kind.RESPONSE_FAILED,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("unreadable-events", (Kind.SWALLOWED,), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("a-binary-message", (Kind.UNEXPECTED_BINARY,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("response-forgotten", (Kind.PREVIOUS_RESPONSE_UNKNOWN,), ((NEW, WEBSOCKET),)),
)


def _runs() -> Iterator[LabelledRun]:
    for name, expected, cells in _TABLE:
        for version, transport in cells:
            situation = _SITUATIONS[name]
            yield LabelledRun(name, situation, version, transport, frozenset(expected))


RUNS = tuple(_runs())
