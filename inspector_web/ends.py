"""How an attempt ended, in words: a few for a table, one or two for the timeline."""

from collections.abc import Mapping, Sequence
from typing import Final

from inspector_web.stretches import LONG_WAIT_US
from inspector_web.visible import one_line
from wiretape.attempt import Attempt
from wiretape.facts import EndKind
from wiretape.said import Outcome
from wiretape.store_presence import Writing
from wiretape.words import counted, duration

_LONGEST: Final = 200
"""Characters of what a server said of a failure; its event has the rest."""

_OUTCOMES: Final = {
    Outcome.COMPLETED: "completed",
    Outcome.FAILED: "failed",
    Outcome.INCOMPLETE: "incomplete",
    Outcome.HTTP_ERROR: "answered",
    Outcome.CUT: "cut",
    Outcome.ABANDONED: "client hung up",
    Outcome.UNREACHED: "not reached",
    Outcome.CONNECTED: "connected, nothing asked",
    Outcome.OPEN: "not over",
}

_UNENDED: Final[Mapping[str, str]] = {
    Writing.GOES_ON: "going on, {} so far",
    Writing.CUT_OFF: "the recording was cut off after {}",
}
_ENDS: Final[Mapping[str, str]] = {
    EndKind.WEBSOCKET_CLOSED: "closed",
    EndKind.SERVER_CLOSED: "the server hung up",
    EndKind.CLIENT_CLOSED: "",
    EndKind.COMPLETE: "the stream ended early",
    EndKind.RESET: "connection reset",
    EndKind.PROTOCOL_ERROR: "not HTTP",
    EndKind.RECORDER_STOPPED: "the recorder stopped",
    EndKind.REFUSED: "no connection",
    EndKind.TLS_FAILURE: "TLS failed",
}

_SHORT: Final[Mapping[str, str]] = {
    EndKind.SERVER_CLOSED: "hung up",
    EndKind.COMPLETE: "ended early",
    EndKind.RESET: "reset",
    EndKind.PROTOCOL_ERROR: "not HTTP",
    EndKind.REFUSED: "no connection",
    EndKind.TLS_FAILURE: "TLS failed",
    Writing.CUT_OFF: "cut off",
}
_SHORT_CODES: Final = {
    "context_length_exceeded": "too long",
    "insufficient_quota": "quota",
    "rate_limit_exceeded": "rate limit",
    "server_is_overloaded": "overloaded",
    "slow_down": "overloaded",
    "websocket_connection_limit_reached": "too old",
}


def said(attempt: Attempt) -> str:
    """How it ended: ``cut: closed 1011 busy``, ``client gave up after 3.0 s of silence``."""
    if given_up_us(attempt) is not None:
        return gave_up([attempt])
    if attempt.detail in _UNENDED:
        return _UNENDED[attempt.detail].format(counted(attempt.events, "event"))
    word = _OUTCOMES[attempt.outcome]
    end, space, rest = attempt.detail.partition(" ")
    detail = _ENDS[end] + space + rest if end in _ENDS else attempt.detail
    if not detail:
        return word
    colon = "" if attempt.outcome is Outcome.HTTP_ERROR else ":"
    return one_line(f"{word}{colon} {detail}", _LONGEST)


def given_up_us(attempt: Attempt) -> int | None:
    """How long nothing had come when the client gave up; ``None`` where that is not why."""
    if attempt.outcome is not Outcome.ABANDONED or attempt.until_us is None:
        return None
    heard = (attempt.at_us, attempt.head_at_us, attempt.last_event_us)
    silent_us = attempt.until_us - max(each for each in heard if each is not None)
    return silent_us if silent_us >= LONG_WAIT_US else None


def gave_up(attempts: Sequence[Attempt]) -> str:
    """The words for attempts that the client gave up in silence."""
    silent_us = [each_us for each in attempts if (each_us := given_up_us(each)) is not None]
    least, most = duration(min(silent_us)), duration(max(silent_us))
    return f"client gave up after {least if least == most else f'{least} to {most}'} of silence"


def label_of(attempt: Attempt) -> str:
    """A number that people know such an end by, else a word or two; nothing where all is well."""
    if attempt.outcome in (Outcome.COMPLETED, Outcome.CONNECTED):
        return ""
    if attempt.status is not None and attempt.status >= 400:
        return str(attempt.status)
    if attempt.outcome is Outcome.ABANDONED:
        return "client left" if given_up_us(attempt) is None else "gave up"
    end, _, rest = attempt.detail.partition(" ")
    if end == EndKind.WEBSOCKET_CLOSED:
        return rest.partition(" ")[0] or "closed"
    if end in _SHORT:
        return _SHORT[end]
    if attempt.outcome is Outcome.OPEN:
        return ""
    return _SHORT_CODES.get(attempt.error_code or "", _OUTCOMES[attempt.outcome])
