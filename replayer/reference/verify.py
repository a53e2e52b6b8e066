"""A recorded session lived through again by the documented client, on real sockets.

Twice, in truth: once on the recording itself, which says what that client would have seen and
done (``rehearsal``), and once against the player, over HTTP and WebSocket. The verdict is where the
recorded client left the documented one, or where the two courses part, whichever comes first.
"""

import ssl
from collections.abc import Callable, Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

from gateway.clock import Clock
from replayer.connection import Service
from replayer.pacing import MAX
from replayer.player import Player
from replayer.reference.budgets import Explanation, explain
from replayer.reference.client import ReferenceClient
from replayer.reference.recorded import RecordedSession, recorded_sessions
from replayer.reference.remembered import Prompts, recorded_identity
from replayer.reference.sockets import Address, SocketWire, Timing
from replayer.reference.steps import Course, Divergence, Diverges
from replayer.reference.words import brief, shortened, told
from replayer.report import Report
from replayer.script import Script
from replayer.server import running_server
from replayer.tape import ReplayTape
from wiretape.choosing import chosen_sessions, exchanges_of
from wiretape.client.actions import Ask
from wiretape.client.config import Provider
from wiretape.client.dialect import Dialect
from wiretape.client.turn import Output
from wiretape.facts import Fact
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader

PATIENCE: Final = Timing(delay_factor=0, connect_s=2.0, idle_s=2.0, tools_s=0.02)
"""The player is never silent where the recording is not, so a short silence is a long one."""
_END_S: Final = 1.0
"""How long the end of a socket may take that ended while tools ran: a reset waits until all that
was said before is acknowledged, which a kernel puts off."""


class Verdict(StrEnum):
    """What came of a session."""

    EQUAL = "equal"
    DIVERGES = "diverges"
    NOT_COMPARABLE = "not comparable"
    """Its client is another one than the documents describe."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict on a session, and what it rests on.

    ``course``, ``provider`` (the configuration that was found to explain it) and ``report`` (how
    the requests on sockets met the recording) are ``None`` for one that cannot be compared.
    """

    session: RecordedSession
    verdict: Verdict
    course: Course | None = None
    provider: Provider | None = None
    divergence: Divergence | None = None
    report: Report | None = None


async def verify_tape(
    reader: TapeReader, sessions: Collection[str], *, tell: Callable[[str], None]
) -> list[Verified]:
    """The verdicts on the sessions of a tape that are wanted; none wanted means all of them.

    Raises:
        NoSuchSession: one that is wanted is not on the tape.
    """
    found = recorded_sessions(reader)
    if sessions:
        chosen = chosen_sessions(sessions_of(reader), sessions, reader.path)
        wanted = exchanges_of(chosen)
        found = [each for each in found if any(act.exchange.id in wanted for act in each.acts)]
    return [await verify(reader, session, tell=tell) for session in found]


async def verify(
    reader: TapeReader,
    session: RecordedSession,
    played: TapeReader | None = None,
    *,
    tell: Callable[[str], None],
) -> Verified:
    """The verdict on a session of the tape behind ``reader``.

    ``played`` is the tape that the player plays, where it is not the same one. ``tell`` hears of
    a player in trouble.
    """
    if session.dialect is None:
        return Verified(session, Verdict.NOT_COMPARABLE)
    found = await explain(session, session.dialect)
    course = found.course
    divergence, report = await _live_through(
        played or reader, session, session.dialect, found, tell
    )
    divergence = divergence or course.divergence
    verdict = Verdict.EQUAL if divergence is None else Verdict.DIVERGES
    return Verified(session, verdict, course, found.config.provider, divergence, report)


async def _live_through(
    played: TapeReader,
    session: RecordedSession,
    dialect: Dialect,
    found: Explanation,
    tell: Callable[[str], None],
) -> tuple[Divergence | None, Report]:
    """Where the client on sockets parts from the rehearsed course, if it does."""
    player = Player(Script(played, _named(played, session)))
    service = Service(player, ReplayTape(_forget, Clock().now_us), MAX, _no_tls)
    comparison = Comparison(found.course)
    async with running_server(service, "127.0.0.1", 0, tell) as url:
        client = ReferenceClient(
            found.config,
            dialect,
            recorded_identity(session, dialect),
            Prompts(found.course.prompts, (act.asked for act in session.acts)),
            SocketWire(_moved(found.config.provider, url), PATIENCE, comparison.tools_s),
            comparison.watch,
        )
        try:
            await client.run()
            comparison.finish()
        except Diverges as parting:
            return parting.divergence, player.report
        except _Enough:
            pass
    return None, player.report


def _named(played: TapeReader, session: RecordedSession) -> tuple[str, ...]:
    """The session by its name, if it has one and asked for anything; else all there are."""
    if session.id is None or all(each.id != session.id for each in sessions_of(played)):
        return ()
    return (session.id,)


class _Enough(Exception):
    """All that there is to compare has been seen."""


class Comparison:
    """Holds what a client sees and does against a course, as it happens.

    Raises ``Diverges`` at the first thing that is not the same.
    """

    def __init__(self, course: Course) -> None:
        self._steps = course.steps
        self._is_open = course.cut is not None or course.divergence is not None
        self._seen = 0

    def watch(self, output: Output) -> None:
        """The client has seen or done this."""
        if self._seen == len(self._steps):
            raise Diverges(self._steps[-1].place, "nothing more happens", brief(told(output)))
        step = self._steps[self._seen]
        if output != step.output:
            raise Diverges(step.place, *shortened(told(step.output), told(output)))
        self._seen += 1
        if self._is_open and self._seen == len(self._steps):
            raise _Enough

    def tools_s(self) -> float:
        """How long the client's tools are to run, so that it sees what the recorded one did."""
        ahead = self._steps[self._seen : self._seen + 1]
        keeps_socket = all(isinstance(step.output, Ask) for step in ahead)
        return PATIENCE.tools_s if keeps_socket else _END_S

    def finish(self) -> None:
        """The client is done."""
        if self._seen < len(self._steps):
            step = self._steps[self._seen]
            raise Diverges(step.place, brief(told(step.output)), "nothing more happens")


def _moved(provider: Provider, url: str) -> Address:
    """Where the player stands in for the provider: the same path, at another address."""
    here = urlsplit(url)
    post, socket = urlsplit(provider.post_url), urlsplit(provider.websocket_url)
    return Address(
        post._replace(scheme="http", netloc=here.netloc).geturl(),
        socket._replace(scheme="ws", netloc=here.netloc).geturl(),
        heeds_proxies=False,
    )


def _forget(fact: Fact) -> None:
    """Nobody wants a tape of this."""


def _no_tls(host: str) -> ssl.SSLContext:
    raise AssertionError(f"nobody was to speak TLS with {host}")
