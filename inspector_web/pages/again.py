"""Command lines by which a session, a request or a moment of it happens again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, Self

from inspector_web.addresses import number_in
from inspector_web.exports import Form, Offer
from inspector_web.index.reader import IndexReader
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.pages.request import attempt_at
from inspector_web.shell import command_line, recorded_command
from wiretape.asked import RequestKind
from wiretape.attempts import Attempt, Transport
from wiretape.crossings import COMMENT, HTTP_BODY, Crossing
from wiretape.errors import UsageError
from wiretape.facts import Sender
from wiretape.reconstruct import Session
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
        request, attempt, event = (number_in(given, name) for name in _NAMES)
        if not request:
            return cls(None, None)
        return cls(AttemptPlace(request, attempt or 1), event)


_NAMES: Final = ("request", "attempt", "event")


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
    """

    session: SessionHead
    place: AttemptPlace | None
    position: int | None
    event: str | None
    fault_at: str | None
    is_command_known: bool
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
    lines = _Lines(path, session, len(overview.sessions) > 1, command or _NO_COMMAND)
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
        tuple(groups),
        offers,
    )


@dataclass(frozen=True, slots=True)
class _Lines:
    """Puts command lines together for a session of the tape at ``path``."""

    path: Path
    session: Session
    is_one_of_many: bool
    command: tuple[str, ...]

    def session_again(self) -> Iterator[CommandLine]:
        yield CommandLine("Replay it, offline, to the same client", self._replay())
        yield CommandLine("At the recorded pace", self._replay("--speed", "1"))
        yield CommandLine(
            "Refuse whatever is not asked as recorded, and write a report",
            self._replay("--strict", "--report", "report.json"),
        )
        yield CommandLine(
            "Serve it as a base URL, until you stop it",
            self._wiretape("replay", "--listen", "127.0.0.1:8080"),
        )
        yield CommandLine(
            "Hold it against the documented client",
            self._wiretape("verify"),
        )

    def request_again(self, query: AgainQuery, exchange: Exchange) -> Iterator[CommandLine]:
        assert query.place is not None
        head = exchange.request
        to = f"{head.scheme}://{head.host}" + (f":{head.port}" if head.port not in _PORTS else "")
        yield CommandLine(
            "Ask a live server the same, once, and compare the shapes of the answers",
            self._wiretape("resend", "--request", str(query.place.request), "--to", to),
        )

    def faults(self, place: str, attempt: Attempt) -> Iterator[CommandLine]:
        has_event = "." in place
        for fault in FAULTS:
            if fault.is_for(attempt, has_event=has_event):
                yield CommandLine(fault.what, self._replay("--fault", f"{place}:{fault.action}"))

    def exports(self, tape: str, offers: tuple[Offer, ...]) -> Iterator[CommandLine]:
        impossible = {each.form for each in offers if not each.is_possible}
        for each in _EXPORTS:
            if each.form not in impossible:
                to = ("--to", each.kind, *each.more, "-o", f"{tape}.{each.ending}")
                yield CommandLine(each.what, self._wiretape("export", *to))

    def place(self, place: AttemptPlace, event: str | None) -> str:
        """A place as ``--fault`` has it."""
        session = f"{self.session.number}/" if self.is_one_of_many else ""
        attempt = f"#{place.number}" if place.number > 1 else ""
        return f"{session}{place.request}{attempt}" + (f".{event}" if event else "")

    @property
    def _tape(self) -> str:
        return str(self.path.resolve())

    def _wiretape(self, command: str, *options: str) -> str:
        chosen = ("--session", self.session.name) if self.is_one_of_many else ()
        return command_line(("wiretape", command, self._tape, *chosen, *options))

    def _replay(self, *options: str) -> str:
        return f"{self._wiretape('replay', *options)} -- {command_line(self.command)}"


@dataclass(frozen=True, slots=True)
class _Export:
    """A file that `wiretape export` writes, of the ``kind`` that it is told."""

    what: str
    form: Form
    kind: str
    ending: str
    more: tuple[str, ...] = ()


_EXPORTS: Final = (
    _Export(
        "A script: the recording as text, to read and edit", Form.SESSION_SCRIPT, "script", "script"
    ),
    _Export(
        "The same for a repository: without what differs from run to run",
        Form.SESSION_SCRIPT,
        "script",
        "script",
        ("--stable",),
    ),
    _Export(
        "Fixtures for Codex up to about 0.130, and what they cannot hold is told",
        Form.FIXTURE,
        "fixture",
        "sse",
        ("--lossy",),
    ),
)


@dataclass(frozen=True, slots=True)
class OfferedFault:
    """A fault that is offered: what the client would meet, and how ``--fault`` has it.

    ``needs_event``: it is about one; else it is about the whole answer, or its end. ``transport``
    is the one that it is possible over, ``None`` for both.
    """

    what: str
    action: str
    needs_event: bool
    transport: Transport | None = None

    def is_for(self, attempt: Attempt, *, has_event: bool) -> bool:
        """Whether it makes sense for that attempt."""
        if attempt.kind is RequestKind.UPGRADE:
            return self.action.startswith("refuse")
        is_possible = self.transport in (None, attempt.transport)
        return (
            is_possible and self.needs_event == has_event and not self.action.startswith("refuse")
        )


FAULTS: Final = (
    OfferedFault("The connection is lost before this event", "cut", True),
    OfferedFault("The connection is reset before it", "reset", True),
    OfferedFault("Close 1011 before it", "close=1011", True, Transport.WEBSOCKET),
    OfferedFault("Silence before it, until the client leaves", "stall", True),
    OfferedFault("It never comes", "drop", True),
    OfferedFault("It comes twice", "duplicate", True),
    OfferedFault("Half of its JSON comes", "corrupt", True),
    OfferedFault("An event that nobody knows comes before it", "unknown", True),
    OfferedFault("The connection is lost before the answer's last event", "cut", False),
    OfferedFault("The first byte takes 10 seconds", "slow=10", False),
    OfferedFault("Close 1011 before the last event", "close=1011", False, Transport.WEBSOCKET),
    OfferedFault("The server fails: 500", "status=500", False, Transport.HTTP),
    OfferedFault("Too many requests: 429", "status=429", False, Transport.HTTP),
    OfferedFault("The handshake is refused: 426", "refuse=426", False, Transport.WEBSOCKET),
)

_PORTS: Final = (80, 443)


def _event_at(index: IndexReader, attempt: Attempt, position: int) -> str:
    """The event of the answer, by its number from 1 or by its type.

    Raises:
        UsageError: what stands there is no event of this answer.
    """
    stretch = index.stretch_with(attempt.exchange, position)
    at_hand = enumerate(index.crossings(stretch), stretch.start.position)
    wanted = next((crossing for at, crossing in at_hand if at == position), None)
    if wanted is None or wanted.at_us < attempt.at_us or not _is_event(wanted):
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
            if crossing.at_us >= attempt.at_us and _is_event(crossing):
                yield crossing


def _is_event(crossing: Crossing) -> bool:
    is_said = crossing.sender is Sender.SERVER and crossing.text is not None
    return is_said and crossing.type not in (HTTP_BODY, COMMENT)
