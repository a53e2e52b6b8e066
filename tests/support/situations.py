"""The situations in which recorder and replay are tried with the real client, as data.

Each has a script for every transport on which it makes sense. The scripts hold for both versions
of the client: warm-ups, which only the newer one sends, are scripted apart from requests.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import provider_events
from provider_models import MODEL_LIST
from provider_script import (
    Accept,
    Close,
    Drop,
    Ending,
    Event,
    Fail,
    Fin,
    Hang,
    Headers,
    Ping,
    Plain,
    Reply,
    Reset,
    Run,
    Say,
    Script,
    WarmUp,
    Written,
)


class Transport(StrEnum):
    """How the client is configured to begin."""

    SSE = "sse"
    WEBSOCKET = "websocket"


class Version(StrEnum):
    """The two fixed points among the client's versions."""

    OLD = "0.99.0"
    NEW = "0.169.0"


@dataclass(frozen=True, slots=True)
class Situation:
    """What the upstream does, by transport, and the client settings that it needs.

    ``is_default_provider``: the client runs without any configuration against the default
    provider, whose traffic a proxy that ends TLS leads here. The client then chooses the
    transport itself (``DEFAULT_TRANSPORT``); the other one is reached with the ``features`` of
    ``OTHER_TRANSPORT_FEATURES`` for the old client, and by refused upgrades for the new one.
    """

    what: str
    scripts: Mapping[Transport, Script]
    settings: Mapping[str, int] = field(default_factory=dict)
    is_default_provider: bool = False


PROMPT = "Follow the script."
ANSWER = "Done: a naïve answer,\u2028on two lines ✓"
OTHER_TRANSPORT_FEATURES = {Version.OLD: ("responses_websockets",), Version.NEW: ()}
DEFAULT_TRANSPORT = {Version.OLD: Transport.SSE, Version.NEW: Transport.WEBSOCKET}

TURN_STATE: Headers = (("x-codex-turn-state", "turn-state-1"),)
IN_THE_TEXT = 18
"""So many events into ``Say(ANSWER)``, the thought is complete and the text has begun."""

OPEN = (Accept(TURN_STATE),)
SAY = (Reply(Say(ANSWER), headers=TURN_STATE),)
RUN = tuple(Reply(Run(f"echo {word}"), headers=TURN_STATE) for word in ("one", "two", "three"))
MAKE = tuple(
    Reply(Run(command), headers=TURN_STATE)
    for command in ("echo one", "echo two > made.txt", "cat made.txt")
)


def _both(*replies: Reply) -> dict[Transport, Script]:
    """The same replies over either transport; WebSocket has no HTTP to fall back to."""
    return {
        Transport.SSE: Script(posts=replies),
        Transport.WEBSOCKET: Script(upgrades=OPEN, messages=replies),
    }


def _broken_off(end: Ending) -> Reply:
    return Reply(Say(ANSWER), end, only=IN_THE_TEXT)


def _error(message: str) -> str:
    return f'{{"error":{{"message":"{message}","type":"scripted_error","code":null}}}}'


def _refused(status: int, body: str = "") -> dict[Transport, Script]:
    """The upgrade is always refused; a POST is answered."""
    return {Transport.WEBSOCKET: Script(upgrades=(Plain(status, body),), posts=SAY)}


def _strange() -> tuple[Event, ...]:
    """A whole answer with things between its events that no client knows."""
    unknown: tuple[Event, ...] = (
        {"type": "responsesapi.websocket_timing", "timing": {"first_token_ms": 12.5}},
        Ping(),
        {"type": "response.dream.delta", "delta": "…", "depth": [1, {"in": None}]},
    )
    known = provider_events.events(Say(ANSWER), 9, ())
    return tuple(step for event in known for step in (*unknown, event))


CLOSED = Close(1011, "scripted failure")
TOO_LONG = Fail("context_length_exceeded", "The input is too long for the script.")
REFUSED = Fail("invalid_prompt", "The script refuses this.")
BUSY = Plain(429, _error("Too many scripted requests"))
BROKEN = Plain(500, _error("A scripted failure"))
BUSY_FOR_A_SECOND = replace(BUSY, headers=(("retry-after", "1"),))
BAD = Plain(400, _error("A scripted refusal"))
BAD_EVENT: Event = {
    "type": "error",
    "status": 400,
    "error": {"type": "invalid_request_error", "message": "A scripted refusal"},
}

SITUATIONS: dict[str, Situation] = {
    "answer": Situation("the model answers at once", _both(*SAY)),
    "tool-round": Situation("one command is run, then an answer", _both(RUN[0], *SAY)),
    "three-rounds": Situation("three commands make a file, then an answer", _both(*MAKE, *SAY)),
    "too-many-requests": Situation(
        "429 to everything",
        {
            Transport.SSE: Script(posts=(BUSY,)),
            Transport.WEBSOCKET: Script(upgrades=(BUSY,), posts=(BUSY,)),
        },
    ),
    "busy-then-answer": Situation(
        "429 with retry-after to the first request or upgrade",
        {
            Transport.SSE: Script(posts=(BUSY_FOR_A_SECOND, *SAY)),
            Transport.WEBSOCKET: Script(upgrades=(BUSY_FOR_A_SECOND, *OPEN), messages=SAY),
        },
    ),
    "error-then-answer": Situation(
        "500 to the first request or upgrade",
        {
            Transport.SSE: Script(posts=(BROKEN, *SAY)),
            Transport.WEBSOCKET: Script(upgrades=(BROKEN, *OPEN), messages=SAY, posts=SAY),
        },
    ),
    "cut-then-answer": Situation(
        "the first stream ends in its middle: FIN over HTTP, a close frame over WebSocket",
        {
            Transport.SSE: Script(posts=(_broken_off(Fin()), *SAY)),
            Transport.WEBSOCKET: Script(upgrades=OPEN, messages=(_broken_off(CLOSED), *SAY)),
        },
    ),
    "closed-until-fallback": Situation(
        "every WebSocket request is answered by a close frame",
        {
            Transport.WEBSOCKET: Script(
                upgrades=OPEN,
                messages=(Reply(Say(ANSWER), CLOSED, only=0),),
                warm_ups=(Reply(WarmUp(), CLOSED, only=0),),
                posts=SAY,
            )
        },
    ),
    "upgrade-426": Situation("upgrades are refused with 426", _refused(426)),
    "upgrade-500": Situation("upgrades are refused with 500", _refused(500, BROKEN.body)),
    "default-provider": Situation(
        "one command is run, then an answer; the client is not configured at all",
        {
            transport: Script(
                posts=(RUN[0], *SAY),
                upgrades=OPEN if transport is Transport.WEBSOCKET else (Plain(426),),
                messages=(RUN[0], *SAY),
                models=(MODEL_LIST,),
            )
            for transport in Transport
        },
        is_default_provider=True,
    ),
    "dropped-then-answer": Situation(
        "FIN in mid-response, without a close frame",
        {Transport.WEBSOCKET: Script(upgrades=OPEN, messages=(_broken_off(Fin()), *SAY))},
    ),
    "reset-then-answer": Situation("RST in mid-response", _both(_broken_off(Reset()), *SAY)),
    "no-head-then-answer": Situation(
        "FIN before the first response head",
        {
            Transport.SSE: Script(posts=(Drop(Fin()), *SAY)),
            Transport.WEBSOCKET: Script(upgrades=(Drop(Fin()), *OPEN), messages=SAY),
        },
    ),
    "hang-then-answer": Situation(
        "silence in mid-response, until the client's idle timeout",
        _both(_broken_off(Hang()), *SAY),
        settings={"stream_idle_timeout_ms": 400},
    ),
    "context-length": Situation("the request is too long for the model", _both(Reply(TOO_LONG))),
    "invalid-prompt": Situation("the request is refused in words", _both(Reply(REFUSED))),
    "error-event": Situation(
        "a WebSocket request is answered with status 400 in an event",
        {Transport.WEBSOCKET: Script(upgrades=OPEN, messages=(Reply(Written((BAD_EVENT,))),))},
    ),
    "unknown-events": Situation("unknown events all over", _both(Reply(Written(_strange())))),
    "bad-request": Situation(
        "400 to everything",
        {
            Transport.SSE: Script(posts=(BAD,)),
            Transport.WEBSOCKET: Script(upgrades=(BAD,), posts=(BAD,)),
        },
    ),
}
