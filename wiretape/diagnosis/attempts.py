"""How attempts ended, cause by cause: one function, one kind of finding."""

from collections.abc import Callable, Iterator
from typing import Final

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt, Transport
from wiretape.diagnosis.case import Case, Place
from wiretape.diagnosis.causes import cause_of, head_limit_us, waited_for_head_us
from wiretape.diagnosis.kinds import Kind
from wiretape.diagnosis.limits import IDLE_US, LATE_END_US, TIMER_SLACK_US
from wiretape.diagnosis.reading import MOST_SPOTS
from wiretape.diagnosis.sighting import (
    Sighting,
    by_request,
    by_transport,
    end_spot,
    sighting,
    times,
)
from wiretape.reasons import way_of
from wiretape.said import Outcome
from wiretape.spot import Spot
from wiretape.tool_uses import spot_of_asking
from wiretape.words import counted, duration

_TERMINAL: Final = "response.completed"
_TERMINALS: Final = {RequestKind.CHAT: "a finish reason or [DONE]"}
"""What ends an answer, where that is something else."""


def silences(case: Case) -> Iterator[Sighting]:
    """Silence that the client gave up in, or longer than it is used to bear, and on whose side."""

    def is_silent(place: Place) -> bool:
        cause = cause_of(place)
        # Who bears a silence with signs of life in it, waits for those, or was told to wait.
        is_dead = not place.attempt.signs_of_life and cause is not Kind.DEAD_SOCKET
        is_long = is_dead and not place.is_torn and _silence_us(place.attempt) >= IDLE_US
        return is_long or cause is Kind.SILENCE

    for places in by_request(filter(is_silent, case.places())):
        worst = max((place.attempt for place in places), key=_silence_us)
        alive = (
            f"{counted(worst.signs_of_life, 'sign')} of life came meanwhile"
            if worst.signs_of_life
            else "without a sign of life"
        )
        over = [name for name, _ in by_transport(places)]
        where = f" over {over[0]}" if len(over) == 1 else ""
        gave_up = [place for place in places if cause_of(place) is Kind.SILENCE]
        how_often = times(gave_up) if where else _times_over_each(gave_up)
        then = f"; the client gave up{how_often}" if gave_up else ""
        yield sighting(
            f"the server said nothing for {duration(_silence_us(worst))} {_when(worst)}"
            f"{where}, {alive}{then}",
            places,
            (_silence_spot(place.attempt) for place in places),
        )


def heads_waited_for(case: Case) -> Iterator[Sighting]:
    """No head of an answer, until the client gave up or for longer than any server needs."""

    def is_waiting(place: Place) -> bool:
        waited_us = waited_for_head_us(place)
        is_long = waited_us is not None and waited_us >= head_limit_us(place)
        return is_long or cause_of(place) is Kind.NO_HEAD

    for places in by_request(filter(is_waiting, case.places())):
        worst = max(waited_for_head_us(place) or 0 for place in places)
        came = any(place.attempt.head_at_us is not None for place in places)
        end = "came only then" if came else "never came"
        what = f"the client waited {duration(worst)} for the head of an answer, which {end}"
        yield sighting(what, places, (spot_of_asking(place.attempt) for place in places))


def terminals_missing(case: Case) -> Iterator[Sighting]:
    """An answer that ended without an end."""
    for places in _of_cause(case, Kind.TERMINAL_MISSING):
        read = next((place.reading for place in places if place.reading.unheeded), None)
        unheeded, but = None, ""
        if read is not None and (unheeded := read.unheeded) is not None:
            words = f": {read.unheeded_words}" if read.unheeded_words else ""
            but = f" ({unheeded.event} came, which this client takes no notice of{words})"
        if coding := places[0].reading.unasked_coding:
            but = f" (it came as {coding}, which the client had not asked for and does not read)"
        terminal = _TERMINALS.get(places[0].attempt.kind, _TERMINAL)
        what = f"the stream ended{times(places)} without {terminal}{but}"
        spots = [] if unheeded is None else [unheeded]
        yield sighting(what, places, [*spots, *(end_spot(place.attempt) for place in places)])


def failures_masked(case: Case) -> Iterator[Sighting]:
    """``response.failed`` over SSE, and an end that came late or never."""

    def is_masked(place: Place) -> bool:
        return _failed_late_us(place) >= LATE_END_US

    for places in by_request(filter(is_masked, case.places())):
        attempt = places[0].attempt
        who = "the client hung up" if _was_left(case, attempt) else "the stream ended"
        yield sighting(
            f"response.failed ({attempt.detail}) was known {duration(_failed_late_us(places[0]))} "
            f"before {who}",
            places,
            (spot for place in places for spot in (end_spot(place.attempt), _last(place.attempt))),
        )


def closings(case: Case) -> Iterator[Sighting]:
    """A connection that ended in the middle of an answer."""
    for places in _of_cause(case, Kind.CLOSED_EARLY):
        what = "; ".join(_closing(name, cut) for name, cut in by_transport(places))
        yield sighting(what, places, (end_spot(place.attempt) for place in places))


def _closing(name: str, places: list[Place]) -> str:
    ways = ", ".join(dict.fromkeys(way_of(place.attempt) for place in places))
    has_begun = any(not place.is_unheard for place in places)
    when = "before the answer was complete" if has_begun else "before an answer began"
    return f"{name} ended{times(places)} {when}: {ways}"


def dead_sockets(case: Case) -> Iterator[Sighting]:
    """A used connection on which nothing came back."""
    for places in _of_cause(case, Kind.DEAD_SOCKET):
        attempt = places[0].attempt
        waited = duration((attempt.until_us or attempt.at_us) - attempt.at_us)
        what = (
            f"a connection that had been used before gave nothing back: {way_of(attempt)} after "
            f"{waited}"
        )
        yield sighting(
            what,
            places,
            (
                spot
                for place in places
                for spot in (spot_of_asking(place.attempt), end_spot(place.attempt))
            ),
        )


def rate_limits(case: Case) -> Iterator[Sighting]:
    """A refusal for asking too much, and whether the delay asked for was kept."""
    for places in _of_cause(case, Kind.RATE_LIMITED):
        told = ", ".join(dict.fromkeys(_heeded(place) for place in places))
        said = places[0].attempt.detail or places[0].attempt.error_code
        yield sighting(
            f"refused{times(places)} by the rate limit ({said}): {told}", places, _ends(places)
        )


def ends_of(kind: Kind, what: str) -> Callable[[Case], Iterator[Sighting]]:
    """The rule for a cause that needs no more words than the detail of each attempt."""

    def rule(case: Case) -> Iterator[Sighting]:
        for places in _of_cause(case, kind):
            details = ", ".join(dict.fromkeys(_detail(place) for place in places))
            yield sighting(f"{what}{times(places)}: {details}", places, _ends(places))

    return rule


def swallowed(case: Case) -> Iterator[Sighting]:
    """Events that the client could not read and passed over."""
    whole = (place for place in case.places() if not place.is_torn)
    for places in by_request(place for place in whole if place.reading.swallowed):
        count = sum(place.reading.swallowed_count for place in places)
        seen = [each for place in places for each in place.reading.swallowed]
        kinds = ", ".join(dict.fromkeys(f"{spot.event} ({reason})" for spot, reason in seen))
        what = f"{counted(count, 'event')} that the client cannot read: {kinds}"
        yield sighting(what, places, (spot for spot, _ in seen[:MOST_SPOTS]))


def _of_cause(case: Case, kind: Kind) -> Iterator[list[Place]]:
    return by_request(place for place in case.places() if cause_of(place) is kind)


def _times_over_each(places: list[Place]) -> str:
    """How often over which transport: ``" 3 times over WebSocket and once over HTTP"``."""
    over = [f"{times(each) or ' once'} over {name}" for name, each in by_transport(places)]
    return " and".join(over)


def _ends(places: list[Place]) -> Iterator[Spot]:
    return (end_spot(place.attempt) for place in places)


def _detail(place: Place) -> str:
    attempt = place.attempt
    if attempt.outcome in (Outcome.CUT, Outcome.ABANDONED):
        return way_of(attempt)
    code = attempt.error_code
    has_code = code is None or code in attempt.detail
    return attempt.detail if has_code else f"{attempt.detail} ({code})"


def _silence_us(attempt: Attempt) -> int:
    """The longest silence within an answer: over HTTP, after its head has come."""
    from_us = attempt.at_us if attempt.silent_from_us is None else attempt.silent_from_us
    if attempt.message is not None:
        return attempt.longest_silence_us
    if attempt.head_at_us is None:
        return 0
    return from_us + attempt.longest_silence_us - max(from_us, attempt.head_at_us)


def _when(attempt: Attempt) -> str:
    is_first = attempt.first_event_us is None or attempt.silent_from_us == attempt.at_us
    return "before an answer began" if is_first else "in the middle of an answer"


def _silence_spot(attempt: Attempt) -> Spot:
    from_us = attempt.at_us if attempt.silent_from_us is None else attempt.silent_from_us
    return Spot(attempt.exchange, from_us, "silence", attempt.message)


def _last(attempt: Attempt) -> Spot:
    return Spot(attempt.exchange, attempt.until_us or attempt.at_us, "end", attempt.message)


def _failed_late_us(place: Place) -> int:
    attempt = place.attempt
    is_held = (
        attempt.transport is Transport.HTTP
        and attempt.outcome is Outcome.FAILED
        and attempt.ended_by == "response.failed"
    )
    if not is_held or attempt.until_us is None or attempt.ended_at_us is None:
        return 0
    return attempt.until_us - attempt.ended_at_us


def _was_left(case: Case, attempt: Attempt) -> bool:
    return attempt.exchange in case.left


def _heeded(place: Place) -> str:
    """Whether the client waited as long as it was asked to."""
    asked_us, later = place.reading.asked_delay_us, place.next
    if later is None:
        may_go_on = place.case.may_go_on(place.session, place.request)
        return "the recording ends here" if may_go_on else "the client did not try again"
    over_us = place.attempt.over_us or place.attempt.at_us
    # A socket that was open already waited for nothing.
    begun = (later.attempt.opened_us, later.attempt.at_us)
    waited_us = next((each for each in begun if each >= over_us), over_us) - over_us
    if asked_us is None:
        return f"the client tried again after {duration(waited_us)}; no delay was asked for"
    was_kept = waited_us + TIMER_SLACK_US >= asked_us
    kept = "as asked" if was_kept else f"though {duration(asked_us)} were asked for"
    return f"the client tried again after {duration(waited_us)}, {kept}"
