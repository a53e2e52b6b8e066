"""Why one attempt did not give what was wanted: one cause for each, by what the wire shows.

The order of trust: what the server said, then its status, then how the connection ended and who
ended it. An attempt that completed, or that the recording left open, has no cause; nor has one
whose end the recorder may have lost.
"""

from http import HTTPStatus
from typing import Final

from wiretape.attempt import Transport
from wiretape.client.failures import FailureKind
from wiretape.diagnosis.case import Place
from wiretape.diagnosis.kinds import Kind
from wiretape.diagnosis.limits import CONNECT_US, FORGETFUL_US, HEAD_US, IDLE_US
from wiretape.facts import EndKind
from wiretape.said import Outcome

_KIND_OF_CODE: Final = {
    "previous_response_not_found": Kind.PREVIOUS_RESPONSE_UNKNOWN,
    "websocket_connection_limit_reached": Kind.SOCKET_LIMIT,
    "rate_limit_exceeded": Kind.RATE_LIMITED,
    "slow_down": Kind.RATE_LIMITED,
}
"""What the server's error codes say by themselves, whatever the client makes of them."""

_REFUSALS: Final = frozenset({FailureKind.RATE_LIMIT, FailureKind.RETRY_LIMIT})


def cause_of(place: Place) -> Kind | None:
    """The cause, as the kind of finding that it is."""
    match place.attempt.outcome:
        case Outcome.COMPLETED | Outcome.CONNECTED | Outcome.OPEN:
            return None
        case Outcome.UNREACHED:
            return Kind.UNREACHABLE
        case Outcome.HTTP_ERROR:
            return _of_status(place)
        case Outcome.FAILED:
            return _of_failure(place, Kind.RESPONSE_FAILED)
        case Outcome.INCOMPLETE:
            return Kind.INCOMPLETE
        case _ if place.is_torn:
            return None
        case _ if place.reading.binary is not None:
            return Kind.UNEXPECTED_BINARY
        case _ if _is_incomplete_unheeded(place):
            return Kind.INCOMPLETE
        case Outcome.CUT:
            return _of_cut(place)
        case Outcome.ABANDONED:
            return _of_leaving(place)


def waited_for_head_us(place: Place) -> int | None:
    """How long the client waited for the head of an answer, ``None`` where that says nothing.

    A body that is not streamed is made whole before its head is sent.
    """
    attempt = place.attempt
    if attempt.message is not None:
        return None
    until_us = attempt.until_us if attempt.head_at_us is None else attempt.head_at_us
    is_whole_body = attempt.outcome is Outcome.COMPLETED and attempt.events == 0
    return None if until_us is None or is_whole_body else until_us - attempt.at_us


def head_limit_us(place: Place) -> int:
    """How long a head may take, by what carries the attempt."""
    return HEAD_US if place.attempt.transport is Transport.HTTP else CONNECT_US


def _of_status(place: Place) -> Kind | None:
    attempt, failure = place.attempt, place.reading.failure
    if attempt.status == HTTPStatus.UPGRADE_REQUIRED and attempt.message is None:
        # A way to say that there is no WebSocket here: what follows it is the question.
        is_upgrade = attempt.transport is Transport.WEBSOCKET
        return None if is_upgrade else Kind.HTTP_ERROR
    if failure is not None and failure.kind in _REFUSALS:
        return Kind.RATE_LIMITED
    return _of_failure(place, Kind.HTTP_ERROR)


def _of_failure(place: Place, otherwise: Kind) -> Kind:
    found = _KIND_OF_CODE.get(place.attempt.error_code or "")
    failure = place.reading.failure
    if found is not None:
        return found
    if failure is None:
        return otherwise
    if failure.kind in _REFUSALS:
        return Kind.RATE_LIMITED
    # Not "may be retried": an overload without advice ends the turn too, and passes.
    return Kind.FATAL if failure.kind in _FATAL else otherwise


_FATAL: Final = frozenset(
    {
        FailureKind.CONTEXT_WINDOW,
        FailureKind.QUOTA,
        FailureKind.USAGE_NOT_INCLUDED,
        FailureKind.USAGE_LIMIT,
        FailureKind.INVALID_REQUEST,
        FailureKind.INVALID_IMAGE,
        FailureKind.POLICY,
    }
)


def _of_cut(place: Place) -> Kind:
    attempt = place.attempt
    was_told = attempt.detail.startswith(EndKind.WEBSOCKET_CLOSED)
    if place.is_unheard and place.is_reused and not was_told:
        return Kind.DEAD_SOCKET
    return Kind.TERMINAL_MISSING if attempt.detail == EndKind.COMPLETE else Kind.CLOSED_EARLY


def _is_incomplete_unheeded(place: Place) -> bool:
    unheeded = place.reading.unheeded
    return unheeded is not None and unheeded.event == "response.incomplete"


def _of_leaving(place: Place) -> Kind:
    attempt = place.attempt
    # Who tries again has not been interrupted by a person: a timer ran out.
    was_timer = len(place.request.tries) > 1
    if attempt.message is None and attempt.head_at_us is None:
        waited_us = waited_for_head_us(place) or 0
        return Kind.NO_HEAD if was_timer or waited_us >= head_limit_us(place) else Kind.CLIENT_LEFT
    is_out_of_silence = place.last_silence_us == attempt.longest_silence_us
    if is_out_of_silence and (was_timer or place.last_silence_us >= IDLE_US):
        is_forgotten = place.is_unheard and place.quiet_before_us >= FORGETFUL_US
        return Kind.DEAD_SOCKET if is_forgotten else Kind.SILENCE
    return Kind.CLIENT_LEFT
