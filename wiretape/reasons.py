"""Why an attempt was made, inferred from what was asked and answered before it.

The wire does not say that one attempt retries another. The rule: within a session, an attempt that
asks for what an earlier one asked for, which did not succeed, is another try at the same request.
What each answer rests on is kept in words, and as a place on the tape where there is one.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt, Transport
from wiretape.attempts import Observed
from wiretape.crossings import END, HTTP_RESPONSE
from wiretape.facts import EndKind
from wiretape.inputs import InputView, Maker, asks_for_the_same, without_model
from wiretape.origins import SUMMARY_OPENING, Role
from wiretape.repeats import repeats
from wiretape.said import Outcome
from wiretape.spot import Spot
from wiretape.tools import ABORTED
from wiretape.words import place_told

ITEM_DONE: Final = "response.output_item.done"


class Why(StrEnum):
    """Why an attempt was made."""

    FIRST = "first"
    """The client asks for something new."""
    TOOL_FOLLOW_UP = "tool_follow_up"
    """The client sends what its tools gave."""
    RETRY = "retry"
    """An attempt at the same request, over the same transport, did not succeed."""
    FALLBACK = "fallback"
    """The same request goes on over HTTP after WebSocket did not succeed."""
    RESUMED = "resumed"
    """The client goes on from a history that this tape does not hold, or from a summary of it."""
    UNKNOWN = "unknown"
    """What is asked for cannot be read."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why, in words what that is inferred from, and the place on the tape that shows it."""

    why: Why
    evidence: str
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Past:
    """What is known of a session before an attempt.

    ``is_begun``: something but warm-ups was asked. ``calls`` are where the calls were made, by
    id; ``answered`` are those whose output was sent. ``response_ids`` are those of all answers.
    ``turn_id`` is the client's name for the turn that was worked on last.
    """

    is_begun: bool
    calls: Mapping[str, Spot]
    answered: Set[str]
    response_ids: Set[str]
    turn_id: str | None


def is_another_try(after: Observed, before: Observed, *, is_next: bool) -> bool:
    """Whether ``after`` is another try at what ``before`` asked for and did not get.

    ``is_next``: nothing was asked between them; where one of them does not say what it asks for,
    that is all there is to go by.
    """
    one, other = before.attempt, after.attempt
    if one.outcome is Outcome.COMPLETED or before.input is None or after.input is None:
        return False
    if one.turn_id is not None and other.turn_id is not None and one.turn_id != other.turn_id:
        return False
    if (one.role is Role.WARM_UP) is not (other.role is Role.WARM_UP):
        return False
    if after.input.says_nothing or before.input.says_nothing:
        return is_next
    called = frozenset(made.call.call_id for made in before.calls)
    return asks_for_the_same(after.input, before.input, called)


def reason_to_ask(seen: Observed, past: Past) -> Reason:
    """Why a request was made at all, by its first attempt that shows what is asked for."""
    attempt, view = seen.attempt, seen.input
    if attempt.kind is RequestKind.UPGRADE:
        return Reason(Why.UNKNOWN, "nothing was asked on the socket that it tried to open")
    if view is None:
        return Reason(Why.UNKNOWN, "what it asks cannot be read")
    if attempt.role is Role.WARM_UP:
        return Reason(Why.FIRST, "it prepares the server and asks for no answer")
    if attempt.role is Role.COMPACTION:
        return Reason(Why.FIRST, "it asks for a shorter history")
    if view.says_nothing:
        waiting = [call_id for call_id in past.calls if call_id not in past.answered]
        if waiting:
            return _follow_up(
                "tools were called, and it does not say what it asks", waiting[-1], past
            )
        return Reason(Why.UNKNOWN, "it does not say what it asks")
    if view.answers_tools:
        answered = [each.key for each in without_model(view.tail) if each.maker is Maker.TOOL]
        return _follow_up("its input ends with the output of a tool", answered[-1], past)
    given = _given_on_the_way(attempt, view, past) if past.is_begun else None
    if given is not None:
        said = "before its last words, its input holds the new output of a tool"
        return _follow_up(said, given, past)
    if view.opening.startswith(SUMMARY_OPENING):
        return Reason(Why.RESUMED, "its input ends with a summary of what was said before")
    previous = attempt.previous_response_id
    if previous is not None and previous not in past.response_ids:
        return Reason(Why.RESUMED, f"it goes on from response {previous}, which is not on the tape")
    if not past.is_begun and attempt.kind is RequestKind.APPEND:
        return Reason(Why.RESUMED, "it adds to a request that is not on the tape")
    if not past.is_begun and view.holds_answers:
        return Reason(Why.RESUMED, "its input holds answers that are not on the tape")
    return Reason(Why.FIRST, "no earlier request without an answer asked for the same")


def reason_to_try_again(
    seen: Observed, request: int, tries: Sequence[Attempt], asked: Observed | None
) -> Reason:
    """Why another attempt was made at the request of that number, after these ``tries``.

    ``asked`` is the one of them that asked for the same, where that is known.
    """
    last = tries[-1]
    is_http = seen.attempt.transport is Transport.HTTP
    moved = last.transport is Transport.WEBSOCKET and is_http
    return Reason(
        Why.FALLBACK if moved else Why.RETRY,
        repeats(seen, asked, tries, request, way_of(last)),
        end_of(last),
    )


def way_of(attempt: Attempt) -> str:
    """How an attempt ended, in words: ``closed 1011 broken``, ``426 Upgrade Required``."""
    how, _, rest = attempt.detail.partition(" ")
    return f"{_WAYS.get(how, how)} {rest}".rstrip() or str(attempt.outcome)


_WAYS: Final = {
    EndKind.COMPLETE.value: "the stream ended",
    EndKind.WEBSOCKET_CLOSED.value: "closed",
    EndKind.SERVER_CLOSED.value: "the server hung up",
    EndKind.CLIENT_CLOSED.value: "the client hung up",
    EndKind.RESET.value: "connection reset",
    EndKind.PROTOCOL_ERROR.value: "not HTTP",
}


def end_of(attempt: Attempt) -> Spot | None:
    """Where the tape shows how an attempt ended; ``None`` while it is open."""
    if attempt.ended_by is not None and attempt.ended_at_us is not None:
        return Spot(attempt.exchange, attempt.ended_at_us, attempt.ended_by, attempt.message)
    if attempt.outcome is Outcome.HTTP_ERROR and attempt.head_at_us is not None:
        return Spot(attempt.exchange, attempt.head_at_us, HTTP_RESPONSE, attempt.message)
    if attempt.until_us is None:
        return None
    return Spot(attempt.exchange, attempt.until_us, END, attempt.message)


def _given_on_the_way(attempt: Attempt, view: InputView, past: Past) -> str | None:
    """The call whose new output the input holds before words of the client, in the same turn.

    The client shows an image that a tool read in a message of its own, and passes on what the
    user says while tools run. After an interruption the words are a wish of their own.
    """
    if None not in (attempt.turn_id, past.turn_id) and attempt.turn_id != past.turn_id:
        return None
    new = [each for each in view.new_outputs if each.call_id not in past.answered]
    return new[-1].call_id if new and new[-1].failure != ABORTED else None


def _follow_up(evidence: str, call_id: str, past: Past) -> Reason:
    spot = past.calls.get(call_id)
    called = "" if spot is None else f", called for in {place_told(spot.exchange, spot.message)}"
    return Reason(Why.TOOL_FOLLOW_UP, f"{evidence}{called}", spot)
