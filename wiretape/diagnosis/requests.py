"""What the tries at one request came to."""

from collections.abc import Iterator
from http import HTTPStatus

from wiretape.attempt import Transport
from wiretape.diagnosis.case import Case, Place
from wiretape.diagnosis.causes import cause_of
from wiretape.diagnosis.kinds import Kind
from wiretape.diagnosis.limits import STORM_RETRIES
from wiretape.diagnosis.sighting import Sighting, by_request, end_spot, sighting, times
from wiretape.reasons import Why, way_of
from wiretape.sessions import Try
from wiretape.tool_uses import spot_of_asking
from wiretape.words import counted, duration


def retry_storms(case: Case) -> Iterator[Sighting]:
    """A request that used up what the client allows."""
    for places in by_request(case.places()):
        retries = [place for place in places if _try(place).why is Why.RETRY]
        most = max((_try(place).number or 0 for place in retries), default=0)
        if most >= STORM_RETRIES:
            took = retries[-1].attempt.at_us - places[0].attempt.at_us
            what = f"one request was tried again{times(retries)} within {duration(took)}"
            spots = (spot_of_asking(place.attempt) for place in retries)
            yield sighting(what, places, spots)


def fallbacks(case: Case) -> Iterator[Sighting]:
    """The move from WebSocket to HTTP, and what brought it about."""
    for places in by_request(case.places()):
        for place in places:
            if _try(place).why is Why.FALLBACK:
                tried = [
                    each
                    for each in places[: place.at]
                    if each.attempt.transport is Transport.WEBSOCKET
                ]
                last = "" if len(tried) == 1 else "the last: "
                what = (
                    "the client fell back from WebSocket to HTTP after "
                    f"{counted(len(tried), 'try', 'tries')} ({last}{_end_of(tried[-1])})"
                )
                yield sighting(what, tried, (end_spot(each.attempt) for each in tried))


def upgrades_left_at_426(case: Case) -> Iterator[Sighting]:
    """A WebSocket refused with 426, and no HTTP request after it."""
    for places in by_request(case.places()):
        if case.may_go_on(places[0].session, places[0].request):
            continue
        refused = [place.attempt for place in places if _is_426(place)]
        if refused and not any(place.attempt.transport is Transport.HTTP for place in places):
            what = "the upgrade to WebSocket was refused with 426, and no HTTP request followed"
            yield sighting(what, places, map(end_spot, refused))


def _end_of(place: Place) -> str:
    """How a try ended, in words: a silence that the client gave up in is why it hung up."""
    if cause_of(place) is Kind.SILENCE:
        return f"the client gave up after {duration(place.last_silence_us)} of silence"
    return way_of(place.attempt)


def _is_426(place: Place) -> bool:
    attempt = place.attempt
    is_upgrade = attempt.transport is Transport.WEBSOCKET and attempt.message is None
    return is_upgrade and attempt.status == HTTPStatus.UPGRADE_REQUIRED


def _try(place: Place) -> Try:
    return place.request.tries[place.at]
