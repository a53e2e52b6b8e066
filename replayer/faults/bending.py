"""Does faults to a recording: a recording, its sessions and faults in; another recording out. Pure.

An attempt that was recorded is bent where it stands and keeps its number. For the tries that the
client makes after that, answers are put in behind the recording (see ``spares``): which of them
the client asks for is its own choice, made by the usual matching.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from replayer.faults.actions import Over
from replayer.faults.applying import with_faults
from replayer.faults.parts import Part, parts_of, put_together
from replayer.faults.planning import Plan, plans
from replayer.faults.spares import Spares
from replayer.faults.spec import Fault
from replayer.report import Spot
from wiretape.errors import UsageError
from wiretape.recording import Recording, WholeExchange
from wiretape.sessions import Session


class ImpossibleFault(UsageError):
    """A fault that cannot be on this recording, for this ``reason``."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"the fault {text!r} cannot be on this recording: {reason}.")
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Faulted:
    """A recording with faults.

    ``originals`` names, for what was put in, the recorded request that it stands for; ``waiting``
    are the places where each fault, by its text, waits for the client. ``spends`` names, for a
    place, the exchanges that are of no more use when the client was there: else it would come to
    the same faults again.
    """

    recording: Recording
    originals: Mapping[Spot, Spot]
    waiting: Mapping[str, frozenset[Spot]]
    spends: Mapping[Spot, frozenset[int]] = field(default_factory=dict)

    @property
    def places(self) -> frozenset[Spot]:
        """Where any fault waits."""
        return frozenset(chain.from_iterable(self.waiting.values()))


def faulted(recording: Recording, sessions: Sequence[Session], faults: Iterable[Fault]) -> Faulted:
    """The recording after these faults. ``sessions`` are those of the recording that may be hit.

    Raises:
        UsageError: a fault is about a request that there is not.
        ImpossibleFault: it cannot be there.
    """
    faults = tuple(faults)
    planned = plans(sessions, faults)
    bending = _Bending(recording, faults)
    for plan in planned:
        for attempt, spot in enumerate(plan.tries, 1):
            bending.bend(spot, plan.at(attempt))
    for plan in planned:
        bending.put_spares(plan)
    return bending.done()


class _Bending:
    def __init__(self, recording: Recording, faults: Iterable[Fault]) -> None:
        self._recording = recording
        self._exchanges = {each.id: each for each in recording.exchanges}
        self._bent: dict[int, tuple[Part, ...]] = {}
        self._faults: dict[Spot, Sequence[Fault]] = {}
        self._spares = Spares(recording)
        self._waiting: dict[str, set[Spot]] = {fault.text: set() for fault in faults}
        self._impossible: dict[str, str] = {}
        self._beside: dict[Spot, int] = {}

    def bend(self, spot: Spot, faults: Sequence[Fault]) -> None:
        """Does faults to an attempt that was recorded."""
        exchange = self._exchanges[spot[0]]
        bent = self._with_faults(exchange, self._parts(exchange), _part_of(spot), faults)
        self._bent[exchange.id] = bent
        self._faults[spot] = faults

    def put_spares(self, plan: Plan) -> None:
        """Puts in answers for the tries after the last one that was recorded: those that are to
        fail, and one that is not."""
        spot = plan.tries[-1]
        last = max(*plan.faults, len(plan.tries))
        for attempt in range(len(plan.tries) + 1, last + 1 + bool(plan.at(last))):
            self._put(spot, plan.at(attempt))
        exchange, message = spot
        if message is None:
            return
        following = exchange, message + 1
        if message + 2 < len(parts_of(self._exchanges[exchange])):
            # A warm-up that failed is not tried again: the client asks what it meant to. And one
            # that repeats what it has heard of a broken answer asks what it would have asked next.
            faults = self._faults.get(following, ())
            number = self._put(following, faults)
            if faults:
                self._beside[following] = number
        for request in plan.from_here:
            self._spares.put_over_http(request.tries[-1].attempt)

    def done(self) -> Faulted:
        """The recording as it is now."""
        exchanges = [
            put_together(each, self._bent[each.id]) if each.id in self._bent else each
            for each in self._recording.exchanges
        ]
        for exchange, parts in self._bent.items():
            self._note(exchange, parts)
        for text, spots in self._waiting.items():
            if not spots:
                raise ImpossibleFault(text, self._impossible[text])
        return Faulted(
            replace(self._recording, exchanges=(*exchanges, *self._spares.exchanges)),
            self._spares.originals,
            {text: frozenset(spots) for text, spots in self._waiting.items()},
            self._spends(),
        )

    def _spends(self) -> dict[Spot, frozenset[int]]:
        """A recorded attempt may wait in its place, and beside that on a socket of its own."""
        standing = {spot: spot for spot in self._beside} | self._spares.originals
        return {
            spot: frozenset({self._beside[original]})
            for spot, original in standing.items()
            if original in self._beside
        }

    def _put(self, spot: Spot, faults: Sequence[Fault]) -> int:
        """Puts in another try at what was asked there, which fails with these faults; gives its
        number."""
        exchange, message = self._exchanges[spot[0]], spot[1]
        parts = parts_of(exchange)
        if message is not None:
            again = self._spares.said_in_full(parts[message + 1], exchange, message)
            parts = (parts[0], again, *self._parts(exchange)[message + 2 :])
        parts = self._with_faults(exchange, parts, 0 if message is None else 1, faults)
        number = self._spares.put(put_together(exchange, parts), message or 0)
        self._note(number, parts)
        return number

    def _parts(self, exchange: WholeExchange) -> tuple[Part, ...]:
        return self._bent.get(exchange.id) or parts_of(exchange)

    def _note(self, exchange: int, parts: Iterable[Part]) -> None:
        """Notes where the faults of an exchange wait."""
        for index, part in enumerate(parts):
            for fault in part.faults:
                self._waiting[fault.text].add((exchange, None if index == 0 else index - 1))

    def _with_faults(
        self, exchange: WholeExchange, parts: Sequence[Part], index: int, faults: Sequence[Fault]
    ) -> tuple[Part, ...]:
        over = Over.WEBSOCKET if exchange.request.is_upgrade else Over.HTTP
        possible = [fault for fault in faults if self._can(fault, parts, index, over)]
        return with_faults(parts, index, possible, over)

    def _can(self, fault: Fault, parts: Sequence[Part], index: int, over: Over) -> bool:
        """Whether the fault can be there. Only one that is about every request need not."""
        try:
            with_faults(parts, index, [fault], over)
        except ValueError as error:
            self._impossible[fault.text] = str(error)
            if fault.place.request is not None:
                raise ImpossibleFault(fault.text, str(error)) from error
            return False
        return True


def _part_of(spot: Spot) -> int:
    return 0 if spot[1] is None else spot[1] + 1
