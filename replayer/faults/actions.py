"""What a fault can do to an answer: the table of actions. Pure.

An action is given an answer, a place in it and what stands behind its ``=``; it gives the answer
bent. The place is that of an event, of the head, or the end of the pieces where there is no event.
"""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import shake_256
from typing import Any, Final

from replayer.faults.answer import HEAD, Answer, text_of, with_text
from replayer.faults.arguments import Close, Status, close, event_type, nothing, seconds, status
from wiretape.facts import EndKind, PieceKind, Sender

_UNKNOWN: Final = "response.wiretape.unknown"
_OVERSIZE_BYTES: Final = 17 * 1024 * 1024
"""More than the 16 MiB that a frame may have for Codex, compressed too."""


class Where(StrEnum):
    """Which place an action is for, where its fault names no event."""

    LAST_EVENT = "the last event"
    FIRST_BYTE = "the first byte of the answer"
    HANDSHAKE = "the handshake"
    ANSWER = "the whole answer"


class Over(StrEnum):
    """What can carry the action."""

    BOTH = "both"
    HTTP = "HTTP"
    WEBSOCKET = "WebSocket"


@dataclass(frozen=True, slots=True)
class Action[A]:
    """One kind of fault. ``read`` reads what stands behind ``=``, as ``takes`` shows it.

    ``bend`` raises ``ValueError``, with the reason, for an answer that it cannot be done to.
    """

    does: str
    bend: Callable[[Answer, int, A], Answer]
    read: Callable[[str | None], A]
    takes: str = ""
    where: Where = Where.LAST_EVENT
    over: Over = Over.BOTH
    needs_event: bool = False
    """There must be an event at its place: neither the head nor the end will do."""


def _stall(answer: Answer, at: int, for_s: float | None) -> Answer:
    if for_s is None:
        return answer.ended(at, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    return answer.delayed(at, round(for_s * 1e6))


def _half_open(answer: Answer, at: int, _: None) -> Answer:
    # A ping that nobody answered says that the server was not there any longer.
    pinged = [(Sender.CLIENT, PieceKind.PING, b"")] if answer.is_websocket and at != HEAD else []
    return answer.ended(at, EndKind.CLIENT_CLOSED, Sender.CLIENT, *pinged)


def _cut(answer: Answer, at: int, _: None) -> Answer:
    return answer.ended(at, EndKind.SERVER_CLOSED, Sender.SERVER)


def _reset(answer: Answer, at: int, _: None) -> Answer:
    return answer.ended(at, EndKind.RESET, Sender.SERVER)


def _close(answer: Answer, at: int, said: Close) -> Answer:
    frame = Sender.SERVER, PieceKind.CLOSE, said.payload
    how, side = EndKind.WEBSOCKET_CLOSED, Sender.SERVER
    return answer.ended(at, how, side, frame, code=said.code, reason=said.reason)


def _status(answer: Answer, _: int, said: Status) -> Answer:
    error = {"type": "wiretape_fault", "message": f"a fault: {said.status} {said.reason}".rstrip()}
    body = json.dumps({"error": error}).encode()
    usual = (("content-type", "application/json"), ("content-length", str(len(body))))
    named = {name.lower() for name, _ in said.headers}
    headers = (*(pair for pair in usual if pair[0] not in named), *said.headers)
    return answer.refused(said.status, said.reason, headers, body)


def _drop(answer: Answer, at: int, _: None) -> Answer:
    return answer.with_pieces(*answer.pieces[:at], *answer.pieces[at + 1 :])


def _duplicate(answer: Answer, at: int, _: None) -> Answer:
    return answer.with_pieces(*answer.pieces[: at + 1], *answer.pieces[at:])


def _reorder(answer: Answer, at: int, _: None) -> Answer:
    before = max((each for each in answer.events if each < at), default=None)
    if before is None:
        raise ValueError("there is no event before the first")
    pieces = list(answer.pieces)
    for one, other in ((before, at), (at, before)):
        pieces[one] = replace(answer.pieces[one], data=answer.pieces[other].data)
    return answer.with_pieces(*pieces)


def _corrupt(answer: Answer, at: int, _: None) -> Answer:
    text = text_of(answer.pieces[at]) or ""
    broken = with_text(answer.pieces[at], text[: len(text) // 2])
    return answer.with_pieces(*answer.pieces[:at], broken, *answer.pieces[at + 1 :])


def _unknown(answer: Answer, at: int, named: str) -> Answer:
    return answer.with_event(at, json.dumps({"type": named}))


def _binary(answer: Answer, at: int, _: None) -> Answer:
    return answer.with_piece(at, PieceKind.BINARY, b"\x00wiretape\xff")


def _oversize(answer: Answer, at: int, _: None) -> Answer:
    # What looks like chance is not made small by the compression of the socket.
    padding = b64encode(shake_256(b"oversize").digest(_OVERSIZE_BYTES)).decode()
    return answer.with_event(at, json.dumps({"type": _UNKNOWN, "padding": padding}))


ACTIONS: Final[Mapping[str, Action[Any]]] = {
    "cut": Action("closes the connection before the event", _cut, nothing),
    "reset": Action("resets the connection before the event", _reset, nothing),
    "close": Action(
        "sends a close frame before the event", _close, close, "CODE[,REASON]", over=Over.WEBSOCKET
    ),
    "stall": Action(
        "is silent before the event for so long, or until the client leaves",
        _stall,
        seconds(),
        "[SECONDS]",
    ),
    "slow": Action(
        "is silent before the first byte of the answer for 10 seconds, or so long",
        _stall,
        seconds(10.0),
        "[SECONDS]",
        where=Where.FIRST_BYTE,
    ),
    "half-open": Action(
        "sends nothing more from the event on, and answers no ping", _half_open, nothing
    ),
    "drop": Action("leaves the event out", _drop, nothing, needs_event=True),
    "duplicate": Action("sends the event twice", _duplicate, nothing, needs_event=True),
    "reorder": Action(
        "sends the event ahead of the one before it", _reorder, nothing, needs_event=True
    ),
    "corrupt": Action("sends half of the event's JSON", _corrupt, nothing, needs_event=True),
    "unknown": Action(
        "sends an event of an unknown type before the event",
        _unknown,
        event_type(_UNKNOWN),
        "[TYPE]",
        needs_event=True,
    ),
    "binary": Action(
        "sends a binary message before the event",
        _binary,
        nothing,
        over=Over.WEBSOCKET,
        needs_event=True,
    ),
    "oversize": Action(
        "sends a message of 22 MiB before the event",
        _oversize,
        nothing,
        over=Over.WEBSOCKET,
        needs_event=True,
    ),
    "status": Action(
        "answers with this status instead",
        _status,
        status(),
        "CODE[,HEADER=VALUE]...",
        where=Where.ANSWER,
        over=Over.HTTP,
    ),
    "refuse": Action(
        "answers the handshake of the WebSocket with status 426, or this one",
        _status,
        status(426),
        "[CODE[,HEADER=VALUE]...]",
        where=Where.HANDSHAKE,
        over=Over.WEBSOCKET,
    ),
}
"""Every action, by its name."""
