"""Which faults hit which attempts: faults, and the sessions that they are about. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from replayer.faults.spec import Fault
from replayer.report import Spot
from wiretape.errors import UsageError
from wiretape.sessions import Request, Session


@dataclass(slots=True)
class Plan:
    """What is to be done to one request.

    ``faults`` are by attempt, from 1: there may be some for attempts that were not recorded, but
    that the client will make.
    """

    session: Session
    request: Request
    faults: dict[int, list[Fault]] = field(default_factory=dict)

    @property
    def tries(self) -> list[Spot]:
        """Where its attempts were recorded."""
        return [(each.attempt.exchange, each.attempt.message) for each in self.request.tries]

    @property
    def from_here(self) -> list[Request]:
        """The request, and those of its session after it."""
        requests = self.session.requests
        return requests[requests.index(self.request) :]

    def at(self, attempt: int) -> list[Fault]:
        """The faults of an attempt."""
        return self.faults.get(attempt, [])


def plans(sessions: Sequence[Session], faults: Iterable[Fault]) -> list[Plan]:
    """The requests that are hit, in the order of the recording.

    Raises:
        UsageError: a fault is about a request that there is not.
    """
    found = [Plan(session, request) for session in sessions for request in session.requests]
    for fault in faults:
        hit = [plan for plan in found if _is_meant(plan, fault)]
        if not hit:
            raise UsageError(
                f"the fault {fault.text!r} hits nothing: {_what_there_is(sessions)}; "
                "`wiretape show` counts them."
            )
        for plan in hit:
            for attempt in fault.place.attempts:
                plan.faults.setdefault(attempt, []).append(fault)
    return [plan for plan in found if plan.faults]


def _is_meant(plan: Plan, fault: Fault) -> bool:
    place = fault.place
    return place.session in (None, plan.session.number) and place.request in (
        None,
        plan.request.number,
    )


def _what_there_is(sessions: Sequence[Session]) -> str:
    if not sessions:
        return "there is no session"
    return f"of requests, {', '.join(map(_requests_of, sessions))}"


def _requests_of(session: Session) -> str:
    numbers = [each.number for each in session.requests]
    is_whole = numbers == list(range(1, len(numbers) + 1))
    # The other transport would not have had the others.
    left = f"{len(numbers)}" if is_whole else f"only {', '.join(map(str, numbers))} here"
    return f"session {session.number} has {left}"
