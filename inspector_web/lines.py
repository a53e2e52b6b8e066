"""Command lines by which a session happens again, as they can be pasted into a shell in any folder.

A replay begins where the client was recorded, and keeps a tape of its own, under a new name each
time. The invariant tests keep: whatever a tape holds, a shell reads it as the words that it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from inspector_web.exports import Offer
from inspector_web.offered import FAULTS, FILES
from inspector_web.overview import AttemptPlace
from inspector_web.setting import Setting
from inspector_web.shell import command_line
from wiretape.attempt import Attempt
from wiretape.sessions import Session
from wiretape.store_reader import Exchange

_NO_COMMAND: Final = ("COMMAND",)
_NOW: Final = "$(date +%Y%m%dT%H%M%S)"
"""In the name of a file that a line makes, so that the line can be run again."""
_PORTS: Final = (80, 443)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a command line does, and the line, quoted for a shell."""

    what: str
    line: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Puts command lines together for a session of the tape at ``path``.

    The recorded ``command`` makes all ``sessions`` of the tape when it is run again, so all of them
    are replayed to it. Another one has to make a session and its sub-agents. ``kept_in`` is the
    folder that replays are kept in.
    """

    path: Path
    kept_in: Path
    setting: Setting
    session: Session
    sessions: tuple[Session, ...]
    command: tuple[str, ...] | None

    def session_again(self) -> Iterator[CommandLine]:
        yield CommandLine("Replay it, offline, to the same client", self._replay())
        yield CommandLine("At the recorded pace", self._replay("--speed", "1"))
        yield CommandLine(
            "Refuse whatever is not asked as recorded, and write a report",
            self._replay("--strict", more=f"--report {self._made('.json')} "),
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

    def request_again(self, place: AttemptPlace, exchange: Exchange) -> Iterator[CommandLine]:
        head = exchange.request
        to = f"{head.scheme}://{head.host}" + (f":{head.port}" if head.port not in _PORTS else "")
        yield CommandLine(
            "Ask a live server the same, once, and compare the shapes of the answers",
            self._wiretape("resend", *self._itself, "--request", str(place.request), "--to", to),
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

    def _replay(self, *options: str, more: str = "") -> str:
        if self.command:
            return self._replay_to(self.command, options, more)
        return self._replay_to(_NO_COMMAND, (*self._kin, *options), more)

    def _replay_to(self, command: tuple[str, ...], options: tuple[str, ...], more: str = "") -> str:
        """``more`` are options as a shell has them."""
        folder, home = self.setting.folder, self.setting.home
        place = "" if folder is None else f"{command_line(('cd', folder))} && "
        settings = "" if home is None else f"CODEX_HOME={command_line((home,))} "
        replay = f"{self._wiretape('replay', *options)} {more}-o {self._made('.db')}"
        return f"{place}{settings}{replay} -- {command_line(command)}"

    def _made(self, ending: str) -> str:
        """The name of a file that a replay makes, as a shell has it."""
        return command_line((f"{self.kept_in.resolve() / self.path.stem}-replay-",)) + _NOW + ending


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
