"""Runs of the real Codex that no rule of the diagnosis was made by: a held-out set.

What is to be found in each was written down from the documents before it was run. Where a label
and a finding part, the rule is mended, not the label.
"""

import gzip
import json
from collections.abc import Iterator

from labelled_runs import NEW, OLD, SSE, WEBSOCKET, LabelledRun, first, written
from provider_script import Close, Event, Fin, Hang, Plain, Reply, Run, Say, Script, Written
from situations import ANSWER, IN_THE_TEXT, OPEN, SAY, TURN_STATE, Situation, Transport, Version

from wiretape.diagnosis.kinds import Kind


def _stream(*events: Event) -> str:
    """The body of a stream with these events."""
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events)


def _posts(*replies: Reply | Plain, **settings: int) -> Situation:
    return Situation("answers over HTTP", {SSE: Script(posts=replies)}, settings)


_WHOLE = written(Say(ANSWER))
_LATER: tuple[Event, ...] = (
    {"type": "response.output_text.delta", "delta": "too late"},
    {"type": "response.failed", "response": {"error": {"code": "server_error", "message": "x"}}},
)
_PAGE = "<!doctype html><title>Sign in</title><p>Accept the terms to use this network."
_UNAVAILABLE = Plain(503, '{"error":{"message":"The model is being moved","type":"server_error"}}')
_UNKNOWN_KEY = Plain(401, '{"error":{"message":"Incorrect key","code":"invalid_api_key"}}')
_USED_UP = Plain(
    429,
    '{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached",'
    '"plan_type":"plus","resets_in_seconds":3600}}',
)
_ZIPPED = Reply(
    Written((gzip.compress(_stream(*_WHOLE).encode()),)), headers=(("content-encoding", "gzip"),)
)
# The first byte of an "é", and no second one.
_HALF_A_CHARACTER = b'data: {"type":"response.output_text.delta","delta":"caf\xc3'

_SITUATIONS: dict[str, Situation] = {
    "slow-but-steady": first(
        Reply(Say(ANSWER), headers=TURN_STATE, pause_s=0.05),
        settings={"stream_idle_timeout_ms": 3000},
    ),
    "slower-than-the-patience": first(
        Reply(Say(ANSWER), pause_s=0.9), settings={"stream_idle_timeout_ms": 400}
    ),
    "held-open-after-the-end": first(Reply(Say(ANSWER), Hang(), headers=TURN_STATE)),
    "more-after-the-end": first(Reply(Written((*_WHOLE, *_LATER)), headers=TURN_STATE)),
    "two-ends": first(Reply(Written((*_WHOLE, _WHOLE[-1])), headers=TURN_STATE)),
    "half-then-unavailable": _posts(
        Reply(Say(ANSWER), Fin(), only=IN_THE_TEXT), _UNAVAILABLE, *SAY
    ),
    "a-stream-called-json": _posts(Plain(200, _stream(*_WHOLE))),
    "a-stream-zipped-unasked": _posts(_ZIPPED, *SAY),
    "a-page-instead-of-a-stream": _posts(Plain(200, _PAGE), *SAY),
    "unauthorized-then-answer": _posts(_UNKNOWN_KEY, *SAY),
    "three-times-500": _posts(*[Plain(500)] * 3, *SAY, request_max_retries=4),
    "cut-within-a-character": _posts(
        Reply(Written((*_WHOLE[:IN_THE_TEXT], _HALF_A_CHARACTER)), Fin()), *SAY
    ),
    "used-up": _posts(_USED_UP),
    "try-later-1013": first(Reply(Say(ANSWER), Close(1013, "try again later"), only=IN_THE_TEXT)),
    "private-code-4000": first(Reply(Say(ANSWER), Close(4000, "session moved"), only=0)),
    "closed-normally-too-early": first(Reply(Say(ANSWER), Close(1000), only=IN_THE_TEXT)),
    "cut-while-a-tool-was-called": Situation(
        "the call is whole, its answer is not; the next one calls again",
        {SSE: Script(posts=(Reply(Run("echo one"), Fin(), only=12), Reply(Run("echo one")), *SAY))},
    ),
    "upgrade-not-found": Situation(
        "there is no WebSocket at this address",
        {WEBSOCKET: Script(upgrades=(Plain(404, "no such page"),), posts=SAY)},
    ),
    "opened-then-closed": Situation(
        "the socket is taken and closed as soon as something is asked, once",
        {WEBSOCKET: Script(upgrades=OPEN, messages=(Reply(Say(""), Close(1001), only=0), *SAY))},
    ),
}

_TABLE: tuple[tuple[str, tuple[Kind, ...], tuple[tuple[Version, Transport], ...]], ...] = (
    ("slow-but-steady", (), ((OLD, SSE), (NEW, WEBSOCKET))),
    ("slower-than-the-patience", (Kind.SILENCE,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("held-open-after-the-end", (), ((OLD, SSE), (NEW, SSE))),
    ("more-after-the-end", (), ((OLD, SSE), (NEW, SSE), (NEW, WEBSOCKET))),
    ("two-ends", (), ((OLD, SSE), (OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("half-then-unavailable", (Kind.CLOSED_EARLY, Kind.HTTP_ERROR), ((OLD, SSE), (NEW, SSE))),
    ("a-stream-called-json", (), ((OLD, SSE), (NEW, SSE))),
    ("a-stream-zipped-unasked", (Kind.TERMINAL_MISSING,), ((OLD, SSE), (NEW, SSE))),
    ("a-page-instead-of-a-stream", (Kind.TERMINAL_MISSING,), ((OLD, SSE), (NEW, SSE))),
    ("unauthorized-then-answer", (Kind.HTTP_ERROR,), ((OLD, SSE), (NEW, SSE))),
    ("three-times-500", (Kind.HTTP_ERROR,), ((OLD, SSE), (NEW, SSE))),
    ("cut-within-a-character", (Kind.CLOSED_EARLY,), ((OLD, SSE), (NEW, SSE))),
    ("used-up", (Kind.FATAL,), ((OLD, SSE), (NEW, SSE))),
    ("try-later-1013", (Kind.CLOSED_EARLY,), ((NEW, WEBSOCKET),)),
    ("private-code-4000", (Kind.CLOSED_EARLY,), ((OLD, WEBSOCKET),)),
    ("closed-normally-too-early", (Kind.CLOSED_EARLY,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("cut-while-a-tool-was-called", (Kind.CLOSED_EARLY,), ((OLD, SSE), (NEW, SSE))),
    ("upgrade-not-found", (Kind.HTTP_ERROR, Kind.FALLBACK), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
    ("opened-then-closed", (Kind.CLOSED_EARLY,), ((OLD, WEBSOCKET), (NEW, WEBSOCKET))),
)


def _runs() -> Iterator[LabelledRun]:
    for name, expected, cells in _TABLE:
        for version, transport in cells:
            situation = _SITUATIONS[name]
            yield LabelledRun(name, situation, version, transport, frozenset(expected))


UNSEEN_RUNS = tuple(_runs())
