"""How often the recorded client would try again, as far as its recording shows.

The configuration is on no tape. The client's defaults stand unless the recording went another way:
then the budgets are those with which the documented client does what the recorded one did. A
budget of none is believed only where a fallback shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from replayer.reference.acts import ActKind
from replayer.reference.recorded import RecordedSession
from replayer.reference.recorded_wire import wish_of
from replayer.reference.rehearsal import rehearse
from replayer.reference.steps import Course
from wiretape.client.config import MOST_RETRIES, Config, Provider
from wiretape.client.dialect import Dialect

_DEFAULT: Final = Provider("", "")


@dataclass(frozen=True, slots=True)
class Explanation:
    """A configuration, and the course of the client that has it."""

    config: Config
    course: Course


async def explain(session: RecordedSession, dialect: Dialect) -> Explanation:
    """The configuration that explains most of a session, and what it leaves unexplained."""
    best: Explanation | None = None
    for stream_retries, request_retries in _candidates(session):
        config = session.config(stream_retries, request_retries)
        found = Explanation(config, await rehearse(session, config, dialect))
        if best is None or _worth(found) > _worth(best):
            best = found
        if best.course.divergence is None and not best.course.differences:
            break
    assert best is not None
    return best


def _worth(explanation: Explanation) -> tuple[bool, int, int]:
    course = explanation.course
    return course.divergence is None, course.acts, -course.differences


def _candidates(session: RecordedSession) -> Iterator[tuple[int, int]]:
    """Budgets for streams and for POSTs, the likeliest first."""
    stream, request = _DEFAULT.stream_max_retries, _DEFAULT.request_max_retries
    yield stream, request
    tries = min(_longest_run(session), MOST_RETRIES + 1)
    least = 0 if _falls_back(session) else 1
    streams = [count for count in range(least, tries) if count != stream]
    requests = [count for count in range(tries) if count != request]
    yield from ((count, request) for count in streams)
    yield from ((stream, count) for count in requests)
    # Where both ran out, each try at the stream had all its tries at the POST.
    yield from (
        (one, other) for one in streams for other in requests if (one + 1) * (other + 1) <= tries
    )


def _longest_run(session: RecordedSession) -> int:
    """How many acts in a row may have been tries at the same request."""
    wishes = []
    wish = None
    for act in reversed(session.acts):
        if act.is_request:
            wish = wish_of(act.asked)
        wishes.append(wish)
    return max(len(list(run)) for _, run in groupby(wishes))


def _falls_back(session: RecordedSession) -> bool:
    kinds = {act.kind for act in session.acts}
    return {ActKind.UPGRADE, ActKind.POST} <= kinds
