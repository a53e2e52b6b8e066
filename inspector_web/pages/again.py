"""Command lines by which a session, a request or a moment of it happens again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self

from inspector_web.addresses import BadAddress, number_in
from inspector_web.exports import Offer
from inspector_web.index.reader import IndexReader
from inspector_web.offered import FAULTS, FILES, is_event_of_answer
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.pages.request import attempt_at
from inspector_web.shell import command_line, recorded_command
from wiretape.asked import RequestKind
from wiretape.attempts import Attempt
from wiretape.crossings import Crossing
from wiretape.errors import UsageError
from wiretape.reconstruct import Session
from wiretape.redact import is_redacted
from wiretape.store_reader import Exchange

MOST_COUNTED: Final = 20_000
"""Events of an answer that are counted; a later one is named by its type."""
_NO_COMMAND: Final = ("COMMAND",)


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
class CommandLine:
    """What a command line does, and the line, quoted for a shell."""

    what: str
    line: str


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
    sessions it made, and makes again when it is run.
    """

    session: SessionHead
    place: AttemptPlace | None
    position: int | None
    event: str | None
    fault_at: str | None
    is_command_known: bool
    is_command_redacted: bool
    made_together: int
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
) -> AgainPage:
    """The page for a session of the tape at ``path``, or for a place in it.

    Raises:
        NoSuchSession, UsageError: there is no such place.
    """
    session = overview.session(number)
    command = recorded_command(overview.label.command)
    lines = _Lines(path, session, overview.sessions, command)
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
            groups.append(CommandGroup("This request", tuple(lines.request_again(query, asked))))
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
        tuple(groups),
        offers,
    )


@dataclass(frozen=True, slots=True)
class _Lines:
    """Puts command lines together for a session of the tape at ``path``.

    The recorded ``command`` makes all ``sessions`` of the tape when it is run again, so all of them
    are replayed to it. Another one has to make a session and its sub-agents.
    """

    path: Path
    session: Session
    sessions: tuple[Session, ...]
    command: tuple[str, ...] | None

    def session_again(self) -> Iterator[CommandLine]:
        yield CommandLine("Replay it, offline, to the same client", self._replay())
        yield CommandLine("At the recorded pace", self._replay("--speed", "1"))
        yield CommandLine(
            "Refuse whatever is not asked as recorded, and write a report",
            self._replay("--strict", "--report", "report.json"),
        )
        if self.command and self._kin:
            yield CommandLine(
                "Only this session, to a command that makes no other: put it in the place of "
                "COMMAND",
                self._replay_to(_NO_COMMAND, self._kin),
            )
        yield CommandLine(
            "Serve it as a base URL, until you stop it",
            self._wiretape("replay", *self._kin, "--listen", "127.0.0.1:8080"),
        )
        yield CommandLine(
            "Hold it against the documented client",
            self._wiretape("verify", *self._itself),
        )

    def request_again(self, query: AgainQuery, exchange: Exchange) -> Iterator[CommandLine]:
        assert query.place is not None
        head = exchange.request
        to = f"{head.scheme}://{head.host}" + (f":{head.port}" if head.port not in _PORTS else "")
        yield CommandLine(
            "Ask a live server the same, once, and compare the shapes of the answers",
            self._wiretape(
                "resend", *self._itself, "--request", str(query.place.request), "--to", to
            ),
        )

    def faults(self, place: str, attempt: Attempt) -> Iterator[CommandLine]:
        has_event = "." in place
        for fault in FAULTS:
            if fault.is_for(attempt, has_event=has_event):
                yield CommandLine(
                    fault.what, self._replay("--fault", f"{place}:{fault.action}", *fault.more)
                )

    def exports(self, tape: str, offers: tuple[Offer, ...]) -> Iterator[CommandLine]:
        impossible = {each.form for each in offers if not each.is_possible}
        for each in FILES:
            if each.form not in impossible:
                to = ("--to", each.kind, *each.more, "-o", f"{tape}.{each.ending}")
                yield CommandLine(each.what, self._wiretape("export", *self._itself, *to))

    def place(self, place: AttemptPlace, event: str | None) -> str:
        """A place as ``--fault`` has it."""
        session = f"{self.session.number}/" if len(self.sessions) > 1 else ""
        attempt = f"#{place.number}" if place.number > 1 else ""
        return f"{session}{place.request}{attempt}" + (f".{event}" if event else "")

    @property
    def _tape(self) -> str:
        return str(self.path.resolve())

    @property
    def _itself(self) -> tuple[str, ...]:
        """The options that choose this session alone; none where there is no other."""
        return ("--session", self.session.name) if len(self.sessions) > 1 else ()

    @property
    def _kin(self) -> tuple[str, ...]:
        """Those that choose all sessions that a client makes when it makes this one: what started
        it, and sub-agents; none where that is all of the tape."""
        chosen = _kin_of(self.session, self.sessions)
        if len(chosen) == len(self.sessions):
            return ()
        return tuple(word for each in chosen for word in ("--session", each.name))

    def _wiretape(self, command: str, *options: str) -> str:
        return command_line(("wiretape", command, self._tape, *options))

    def _replay(self, *options: str) -> str:
        if self.command:
            return self._replay_to(self.command, options)
        return self._replay_to(_NO_COMMAND, (*self._kin, *options))

    def _replay_to(self, command: tuple[str, ...], options: tuple[str, ...]) -> str:
        return f"{self._wiretape('replay', *options)} -- {command_line(command)}"


_PORTS: Final = (80, 443)


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


def _kin_of(session: Session, sessions: tuple[Session, ...]) -> list[Session]:
    """The session, what started it, and what both start as sub-agents, in the order of the tape."""
    by_id = {each.id: each for each in sessions if each.id is not None}

    def root(of: Session) -> Session:
        seen = {id(of)}
        while (above := by_id.get(of.parent or "")) is not None and id(above) not in seen:
            seen.add(id(above))
            of = above
        return of

    return [each for each in sessions if root(each) is root(session)]
