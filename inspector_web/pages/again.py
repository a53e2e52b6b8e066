"""Command lines by which a session, a request or a moment of it happens again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self

from inspector_web.addresses import BadAddress, number_in
from inspector_web.exports import Offer
from inspector_web.index.reader import IndexReader
from inspector_web.lines import CommandLine, Lines
from inspector_web.offered import is_event_of_answer
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.pages.request import attempt_at
from inspector_web.setting import Setting
from inspector_web.shell import recorded_command
from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.crossings import Crossing
from wiretape.errors import UsageError
from wiretape.redact import is_redacted

MOST_COUNTED: Final = 20_000
"""Events of an answer that are counted; a later one is named by its type."""


@dataclass(frozen=True, slots=True)
class AgainQuery:
    """What is to happen again: all of the session, an attempt, or an event of its answer.

    ``position`` counts the events of the exchange, as on the page of events.
    """

    place: AttemptPlace | None
    position: int | None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address.

        Raises:
            BadAddress: a value makes no sense.
        """
        request = number_in(given, "request", least=1)
        attempt = number_in(given, "attempt", least=1)
        event = number_in(given, "event")
        if request is not None:
            return cls(AttemptPlace(request, attempt or 1), event)
        for name, value in (("attempt", attempt), ("event", event)):
            if value is not None:
                raise BadAddress(f"{name} is {value} and no request is named: name that too.")
        return cls(None, None)


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """Command lines about one thing."""

    title: str
    commands: tuple[CommandLine, ...]


@dataclass(frozen=True, slots=True)
class AgainPage:
    """Command lines. ``fault_at`` is the place where the faults hit, as ``--fault`` has it, and
    ``offers`` are what can be downloaded.

    ``is_command_known``: the tape tells which command was recorded; else ``COMMAND`` stands for it.
    ``is_command_redacted``: something secret is missing in it. ``made_together`` is how many
    sessions it made, and makes again when it is run. ``setting`` is that of the recorded client.
    """

    session: SessionHead
    place: AttemptPlace | None
    position: int | None
    event: str | None
    fault_at: str | None
    is_command_known: bool
    is_command_redacted: bool
    made_together: int
    setting: Setting
    groups: tuple[CommandGroup, ...]
    offers: tuple[Offer, ...]


def again_page(
    tape: str,
    path: Path,
    overview: Overview,
    index: IndexReader,
    number: int,
    query: AgainQuery,
    offers: tuple[Offer, ...],
    setting: Setting,
    kept_in: Path,
) -> AgainPage:
    """The page for a session of the tape at ``path``, or for a place in it.

    ``setting`` is that of the recorded client, ``kept_in`` the folder that replays are kept in.

    Raises:
        NoSuchSession, UsageError: there is no such place.
    """
    session = overview.session(number)
    command = recorded_command(overview.label.command)
    lines = Lines(path, kept_in, setting, session, overview.sessions, command)
    event = fault_at = None
    groups: list[CommandGroup] = []
    if query.place is not None:
        attempt = attempt_at(overview, number, query.place)
        asked = index.exchange(attempt.exchange)
        if query.position is not None:
            event = _event_at(index, attempt, query.position)
        fault_at = lines.place(query.place, event)
        groups.append(CommandGroup("With a fault here", tuple(lines.faults(fault_at, attempt))))
        if attempt.kind is not RequestKind.UPGRADE:
            groups.append(
                CommandGroup("This request", tuple(lines.request_again(query.place, asked)))
            )
    groups.append(CommandGroup("This session", tuple(lines.session_again())))
    groups.append(CommandGroup("As a file", tuple(lines.exports(tape, offers))))
    return AgainPage(
        head_of(tape, overview, number),
        query.place,
        query.position,
        event,
        fault_at,
        command is not None,
        is_redacted(command or ()),
        len(overview.sessions) if command else 1,
        setting,
        tuple(groups),
        offers,
    )


def _event_at(index: IndexReader, attempt: Attempt, position: int) -> str:
    """The event of the answer, by its number from 1 or by its type.

    Raises:
        UsageError: what stands there is no event of this answer.
    """
    stretch = index.stretch_with(attempt.exchange, position)
    at_hand = enumerate(index.crossings(stretch), stretch.start.position)
    wanted = next((crossing for at, crossing in at_hand if at == position), None)
    if wanted is None or wanted.at_us < attempt.at_us or not is_event_of_answer(wanted):
        raise UsageError(
            f"event {position} of exchange {attempt.exchange} is none of this answer: its list of "
            "events has those that are."
        )
    before = islice(_until(index, attempt, position), MOST_COUNTED + 1)
    count = sum(1 for _ in before)
    return str(count + 1) if count < MOST_COUNTED else wanted.type


def _until(index: IndexReader, attempt: Attempt, position: int) -> Iterator[Crossing]:
    """The events of the answer before that position."""
    for stretch in index.stretches_since(attempt.at_us, {attempt.exchange}):
        for at, crossing in enumerate(index.crossings(stretch), stretch.start.position):
            if at >= position:
                return
            if crossing.at_us >= attempt.at_us and is_event_of_answer(crossing):
                yield crossing
