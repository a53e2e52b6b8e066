"""Every rule: which kind of finding it makes, and the small pure function that makes it."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wiretape.diagnosis.attempts import (
    closings,
    dead_sockets,
    ends_of,
    failures_masked,
    heads_waited_for,
    rate_limits,
    silences,
    swallowed,
    terminals_missing,
)
from wiretape.diagnosis.calls import (
    calls_repeated,
    calls_unanswered,
    outputs_without_call,
    single_follow_ups,
    tool_loops,
)
from wiretape.diagnosis.case import Case
from wiretape.diagnosis.growth import leaps
from wiretape.diagnosis.kinds import Kind
from wiretape.diagnosis.recorder import cuts, distrusts, gaps
from wiretape.diagnosis.requests import fallbacks, retry_storms, upgrades_left_at_426
from wiretape.diagnosis.sighting import Sighting

type Rule = Callable[[Case], Iterator[Sighting]]

RULES: Final[Mapping[Kind, Rule]] = {
    Kind.SILENCE: silences,
    Kind.NO_HEAD: heads_waited_for,
    Kind.TERMINAL_MISSING: terminals_missing,
    Kind.FAILURE_MASKED: failures_masked,
    Kind.CLOSED_EARLY: closings,
    Kind.DEAD_SOCKET: dead_sockets,
    Kind.SOCKET_LIMIT: ends_of(Kind.SOCKET_LIMIT, "the socket reached the server's limit"),
    Kind.CLIENT_LEFT: ends_of(Kind.CLIENT_LEFT, "the client left before the answer was complete"),
    Kind.UNREACHABLE: ends_of(Kind.UNREACHABLE, "the server could not be reached"),
    Kind.RATE_LIMITED: rate_limits,
    Kind.HTTP_ERROR: ends_of(Kind.HTTP_ERROR, "refused"),
    Kind.RESPONSE_FAILED: ends_of(Kind.RESPONSE_FAILED, "the response failed"),
    Kind.FATAL: ends_of(Kind.FATAL, "refused for good"),
    Kind.INCOMPLETE: ends_of(Kind.INCOMPLETE, "the response stopped before it was done"),
    Kind.PREVIOUS_RESPONSE_UNKNOWN: ends_of(
        Kind.PREVIOUS_RESPONSE_UNKNOWN,
        "the server does not know the response that was gone on from",
    ),
    Kind.UNEXPECTED_BINARY: ends_of(
        Kind.UNEXPECTED_BINARY, "a message that is not text ended the answer"
    ),
    Kind.SWALLOWED: swallowed,
    Kind.RETRY_STORM: retry_storms,
    Kind.FALLBACK: fallbacks,
    Kind.NO_POST_AFTER_426: upgrades_left_at_426,
    Kind.OUTPUT_WITHOUT_CALL: outputs_without_call,
    Kind.CALL_UNANSWERED: calls_unanswered,
    Kind.CALL_REPEATED: calls_repeated,
    Kind.ONE_FOLLOW_UP: single_follow_ups,
    Kind.TOOL_LOOP: tool_loops,
    Kind.GROWTH: leaps,
    Kind.RECORDER_GAP: gaps,
    Kind.RECORDING_CUT: cuts,
    Kind.NOT_TRUSTED: distrusts,
}
