"""A tape at a glance: what the pages need of it and need not read it for.

Nothing recorded is kept here but counts, times, the first words and what findings quote; texts
are read from the tape whenever they are shown.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Final

from inspector_web.asking import first_words
from inspector_web.stretches import Spent
from inspector_web.visible import one_line
from wiretape.attempt import Attempt
from wiretape.client.heads import rate_limits, retry_after_ms
from wiretape.diagnosis.kinds import Finding, Kind
from wiretape.errors import NoSuchSession
from wiretape.facts import Gap, ResponseHead, header
from wiretape.fault_places import Injected, injected_on
from wiretape.sessions import Session
from wiretape.store_reader import Exchange, TapeReader
from wiretape.store_writer import TapeLabel
from wiretape.words import counted

_WORDS_KEPT: Final = 2000
_ABOUT_SILENCE: Final = frozenset({Kind.SILENCE, Kind.NO_HEAD, Kind.DEAD_SOCKET})


@dataclass(frozen=True, slots=True)
class Carrier:
    """The exchange that carried attempts: when it began, was answered and ended.

    ``tells_limits``: the head of its answer tells how much of the rate limits is used.
    ``asked_wait_us`` is how long a refusal asked to wait.
    """

    id: int
    at_us: int
    is_upgrade: bool
    is_websocket: bool
    answered_us: int | None
    end_us: int | None
    tells_limits: bool
    asked_wait_us: int | None


@dataclass(frozen=True, slots=True)
class AttemptPlace:
    """Where an attempt stands in its session: request and number within it, both from 1."""

    request: int
    number: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """An event that a finding rests on, or that came before a silence it rests on.

    ``place`` is the attempt that it is part of, if any.
    """

    exchange: int
    position: int
    at_us: int
    event: str
    place: AttemptPlace | None


@dataclass(frozen=True, slots=True)
class Told:
    """A finding, and the events that it rests on."""

    finding: Finding
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """What takes a tape's index to know of a session: where its time went, the words that each of
    its turns begins with, and how long the longest of its long silences was, if it had one."""

    spent: tuple[Spent, ...] = ()
    turn_words: tuple[str, ...] = ()
    silence_us: int | None = None


@dataclass(frozen=True, eq=False)
class Overview:
    """A tape at a glance.

    ``words`` are the first of each session, in the order of ``sessions``, as are ``details``.
    ``carriers`` are the exchanges of attempts. ``told`` is ``None``, and there are no ``details``,
    until the tape is diagnosed.
    """

    label: TapeLabel
    sessions: tuple[Session, ...]
    words: tuple[str, ...]
    gaps: tuple[Gap, ...]
    carriers: tuple[Carrier, ...]
    told: tuple[Told, ...] | None = None
    details: tuple[Details, ...] = ()

    def session(self, number: int) -> Session:
        """The session of that number, counted from 1.

        Raises:
            NoSuchSession: there are not so many.
        """
        if not 1 <= number <= len(self.sessions):
            raise NoSuchSession(
                f"this tape has {counted(len(self.sessions), 'session')}, and none is number "
                f"{number}: the list of sessions names those that are."
            )
        return self.sessions[number - 1]

    def exchanges_of(self, session: Session) -> frozenset[int]:
        """The exchanges that carried the attempts of a session."""
        return frozenset(each.attempt.exchange for each in session.tries)

    def gaps_in(self, session: Session) -> list[Gap]:
        """The gaps in a session's exchanges, and those of which no exchange is known."""
        exchanges = self.exchanges_of(session)
        return [gap for gap in self.gaps if gap.exchange is None or gap.exchange in exchanges]

    def told_of(self, number: int) -> tuple[Told, ...]:
        """The findings about the session of that number, and those about none in particular."""
        return tuple(each for each in self.told or () if each.finding.session in (None, number))

    def details_of(self, number: int) -> Details:
        """The details of the session of that number; empty until the tape is diagnosed."""
        return self.details[number - 1] if self.details else Details()

    @cached_property
    def faults(self) -> tuple[Injected, ...]:
        """What the replay was asked to let fail."""
        return injected_on(self.label.faults)

    def silences_found(self, number: int) -> Mapping[int, tuple[int, ...]]:
        """Where, by exchange, silences of that session begin that findings are about."""
        begins: dict[int, tuple[int, ...]] = {}
        for told in self.told_of(number):
            for spot in told.finding.evidence if told.finding.kind in _ABOUT_SILENCE else ():
                begins[spot.exchange] = (*begins.get(spot.exchange, ()), spot.at_us)
        return begins

    @cached_property
    def carrier(self) -> Mapping[int, Carrier]:
        """The exchanges of attempts by number."""
        return {each.id: each for each in self.carriers}

    def attempt_at(self, exchange: int, at_us: int) -> tuple[int, AttemptPlace] | None:
        """The attempt under way in an exchange at that time, with the number of its session."""
        found = self._attempts.get(exchange)
        if found is None:
            return None
        times, places = found
        return places[max(bisect_right(times, at_us) - 1, 0)]

    def under_way(self, exchange: int, at_us: int) -> Attempt | None:
        """The same as an attempt."""
        found = self.attempt_at(exchange, at_us)
        return None if found is None else self._attempt(*found)

    def _attempt(self, session: int, place: AttemptPlace) -> Attempt:
        requests = self.sessions[session - 1].requests
        return requests[place.request - 1].tries[place.number - 1].attempt

    def spell_of(self, exchange: int, place: AttemptPlace, session: int) -> tuple[int, int | None]:
        """From when until before when that attempt is the one under way in its exchange; ``None``
        where it is the last one there."""
        times, places = self._attempts[exchange]
        at = places.index((session, place))
        return times[at] if at else 0, times[at + 1] if at + 1 < len(times) else None

    @cached_property
    def _attempts(self) -> Mapping[int, tuple[list[int], list[tuple[int, AttemptPlace]]]]:
        by_exchange: dict[int, list[tuple[int, int, AttemptPlace]]] = {}
        for number, session in enumerate(self.sessions, start=1):
            for request in session.requests:
                for at, each in enumerate(request.tries, start=1):
                    begin = (each.attempt.at_us, number, AttemptPlace(request.number, at))
                    by_exchange.setdefault(each.attempt.exchange, []).append(begin)
        return {
            exchange: ([at_us for at_us, _, _ in begins], [begin[1:] for begin in begins])
            for exchange, begins in (
                (exchange, sorted(begins, key=lambda begin: begin[0]))
                for exchange, begins in by_exchange.items()
            )
        }

    @cached_property
    def problems(self) -> frozenset[tuple[int, int]]:
        """Exchange and position of every event that a finding rests on."""
        return frozenset(
            (each.exchange, each.position) for told in self.told or () for each in told.evidence
        )


def overview_of(reader: TapeReader, sessions: Sequence[Session]) -> Overview:
    """The overview of a tape with these sessions, not diagnosed."""
    wanted = {each.attempt.exchange for session in sessions for each in session.tries}
    exchanges = {exchange.id: exchange for exchange in reader.exchanges() if exchange.id in wanted}
    return Overview(
        reader.label(),
        tuple(sessions),
        tuple(one_line(first_words(reader, exchanges, each), _WORDS_KEPT) for each in sessions),
        tuple(reader.gaps()),
        tuple(map(carrier_of, exchanges.values())),
    )


def carrier_of(exchange: Exchange) -> Carrier:
    response, end = exchange.response, exchange.end
    return Carrier(
        exchange.id,
        exchange.request.at_us,
        exchange.is_upgrade,
        exchange.is_websocket,
        None if response is None else response.at_us,
        None if end is None else end.at_us,
        # On a WebSocket, events tell it.
        response is not None
        and not exchange.is_upgrade
        and rate_limits(response.headers) is not None,
        _asked_wait_us(response),
    )


def _asked_wait_us(response: ResponseHead | None) -> int | None:
    if response is None or response.status < HTTPStatus.BAD_REQUEST:
        return None
    delay_ms = retry_after_ms(header(response.headers, "retry-after"))
    return None if delay_ms is None else delay_ms * 1000
