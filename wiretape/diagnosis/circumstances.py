"""What a trouble came with, where the advice on it depends on that: a close code, a status, a word.

Each attempt that a finding is about has one circumstance, a word or a number as text.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.client.failures import FailureKind
from wiretape.diagnosis.advice import ADVICE, Advice
from wiretape.diagnosis.case import Place
from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind

HTTP: Final = "http"
NO_ANSWER: Final = "no answer"
NO_CODE: Final = "no code"
SERVER_ERROR: Final = "5xx"
ALIVE: Final = "alive"
DEAD: Final = "dead"
CHAT: Final = "chat"
UNASKED_CODING: Final = "unasked coding"


def told_of(kind: Kind, places: Iterable[Place]) -> Advice:
    """What a finding of this kind, about these attempts, means, and what to try."""
    general, special, tell = ADVICE[kind], SPECIAL.get(kind, {}), _TOLD_BY.get(kind)
    circumstances = () if tell is None else map(tell, places)
    told = [special.get(each, general) for each in circumstances] or [general]
    return Advice(_joined(each.meaning for each in told), _joined(each.advice for each in told))


def _joined(texts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(texts))


def _of_end(place: Place) -> str:
    """Who closed, and why: only a WebSocket's close code says."""
    if place.attempt.transport is Transport.HTTP:
        return NO_ANSWER if place.is_unheard else HTTP
    how, _, rest = place.attempt.detail.partition(" ")
    code = rest.partition(" ")[0]
    return code if how == EndKind.WEBSOCKET_CLOSED and code.isdecimal() else NO_CODE


def _of_status(place: Place) -> str:
    status = place.attempt.status or 0
    return SERVER_ERROR if status >= 500 else str(status)


def _of_failure(place: Place) -> str:
    failure = place.reading.failure
    return "" if failure is None else failure.kind


def _of_silence(place: Place) -> str:
    return ALIVE if place.attempt.signs_of_life else DEAD


def _of_stream(place: Place) -> str:
    if place.reading.unasked_coding is not None:
        return UNASKED_CODING
    return CHAT if place.attempt.kind is RequestKind.CHAT else ""


def _of_words(place: Place) -> str:
    return place.attempt.detail


_TOLD_BY: Final[Mapping[Kind, Callable[[Place], str]]] = {
    Kind.CLOSED_EARLY: _of_end,
    Kind.FATAL: _of_failure,
    Kind.HTTP_ERROR: _of_status,
    Kind.INCOMPLETE: _of_words,
    Kind.SILENCE: _of_silence,
    Kind.TERMINAL_MISSING: _of_stream,
}


def _alike(kind: Kind, advice: str, *circumstances: str) -> dict[str, Advice]:
    """The same advice for each of these circumstances, with the kind's own meaning."""
    return dict.fromkeys(circumstances, Advice(ADVICE[kind].meaning, advice))


SPECIAL: Final[Mapping[Kind, Mapping[str, Advice]]] = {
    Kind.SILENCE: {
        **_alike(
            Kind.SILENCE,
            "Signs of life came, so the connection was fine and the model's side was slow: raise "
            "stream_idle_timeout_ms.",
            ALIVE,
        ),
        **_alike(
            Kind.SILENCE,
            "No sign of life came: look for a proxy or firewall that drops quiet connections, or "
            "a server that hangs. If it only thinks so long, raise stream_idle_timeout_ms.",
            DEAD,
        ),
    },
    Kind.TERMINAL_MISSING: {
        CHAT: Advice(
            "The answer ended without a finish reason: it broke off, and a client may take what "
            "came for all of it. A body whose length is not stated ends the same when it is cut.",
            "Look at the log of the server, or of the gateway before it, at that time.",
        ),
        UNASKED_CODING: Advice(
            "The answer was compressed in a way that the client had not asked for, so it could "
            "not read a word of it.",
            "A gateway that compresses whatever is asked is the usual cause: have it heed "
            "accept-encoding, or go around it.",
        ),
    },
    Kind.CLOSED_EARLY: {
        **_alike(
            Kind.CLOSED_EARLY,
            "A body that is cut names nobody. If it happens again at the same age, size or idle "
            "time, look for the limit of a proxy or gateway; else the log of the server at that "
            "time says more.",
            HTTP,
        ),
        NO_ANSWER: Advice(
            "The connection ended before anything of an answer came, from the server's side or on "
            "the way.",
            "Not even a head came, and that names nobody: look at the log of the server, or of the "
            "gateway before it, at that time. If it took the request at all, it fell over it.",
        ),
        **_alike(
            Kind.CLOSED_EARLY,
            "No close code came: the connection broke on the way, or the server fell. If it "
            "happens again at the same age or idle time, look for a proxy's limit.",
            NO_CODE,
        ),
        **_alike(
            Kind.CLOSED_EARLY,
            "The code is trouble of the server's own, or of the gateway that closed: its log at "
            "that time says more.",
            "1011",
        ),
        **_alike(
            Kind.CLOSED_EARLY,
            "The code is a restart, or a server that is too busy: another try goes to another "
            "one, or goes well later. If it happens often, ask who restarts it.",
            "1001",
            "1012",
            "1013",
        ),
        **_alike(
            Kind.CLOSED_EARLY,
            "The code is a message too big for whoever closed: compact the conversation, or "
            "raise that limit.",
            "1009",
        ),
    },
    Kind.HTTP_ERROR: {
        **_alike(
            Kind.HTTP_ERROR,
            "It is about the key or the login: see which one the client sends, and what it may do.",
            "401",
            "403",
        ),
        **_alike(
            Kind.HTTP_ERROR,
            "It is about the path in the base URL, or the name of the model.",
            "404",
        ),
        **_alike(
            Kind.HTTP_ERROR,
            "It is about the server, or a gateway before it: its page in the evidence says more.",
            SERVER_ERROR,
        ),
    },
    Kind.FATAL: {
        **_alike(
            Kind.FATAL,
            "The context is too long for the model: compact it, or begin a new thread.",
            FailureKind.CONTEXT_WINDOW,
        ),
        **_alike(
            Kind.FATAL,
            "It is about the account: its quota, plan or usage limit.",
            FailureKind.QUOTA,
            FailureKind.USAGE_NOT_INCLUDED,
            FailureKind.USAGE_LIMIT,
        ),
        **_alike(
            Kind.FATAL,
            "The server does not take the request as it is: the error's message says what to "
            "change. The same one is refused again.",
            FailureKind.INVALID_REQUEST,
        ),
        **_alike(
            Kind.FATAL,
            "Take the image out, or begin a new thread: each later request holds it too.",
            FailureKind.INVALID_IMAGE,
        ),
    },
    Kind.INCOMPLETE: {
        **_alike(
            Kind.INCOMPLETE,
            "Raise the limit on output tokens, or ask for less at once.",
            "max_output_tokens",
            "length",
        ),
        **_alike(
            Kind.INCOMPLETE,
            "A filter stopped it: say it otherwise, or ask who runs the filter.",
            "content_filter",
        ),
    },
}
"""Advice that holds in one circumstance, and takes the place of the kind's own."""
