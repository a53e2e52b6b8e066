"""The player: a request in, actions out. Sans-I/O; holds the place in the recording.

It never sees a socket or a clock. A server hands it what the client asked and performs what it
answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from replayer.actions import Action, SendHead
from replayer.http_request import HttpRequest, Origin
from replayer.losses import losses
from replayer.matching import Sessions, best_match, nearest
from replayer.place import Caller, Place
from replayer.refusals import NOTHING_LIKE, http_error
from replayer.report import Blocked, NotAsked, Report, SideRequest, Spot, Verdict
from replayer.script import RecordedExchange, Script, Way
from replayer.side_requests import SideRequests
from replayer.socket_player import SocketPlayer, SocketPlayers
from wiretape.asked import Asked, asked_at, asked_by_upgrade, asked_over_http
from wiretape.attempt import Transport
from wiretape.facts import header
from wiretape.ignoring import Ignored
from wiretape.scope import MODEL_HOSTS, Purpose, host_matcher, is_this_machine, purpose_of

_KEY: Final = "authorization"
_is_model_host = host_matcher(MODEL_HOSTS)


@dataclass(frozen=True, slots=True)
class Accept:
    """Accept the upgrade: the recorded head to answer with, and the socket to play."""

    head: SendHead
    socket: SocketPlayer


@dataclass(frozen=True, slots=True)
class PassOn:
    """Pass on to where it is meant for: a service of this machine, which was not recorded."""

    origin: Origin
    what: str


class Player:
    """Plays ``script`` to one client.

    With ``is_strict``, a request that differs from the recording is answered with an error that
    the client treats as fatal, instead of with the recorded answer, until it has met one of the
    ``faults``. What is ``ignored`` is no difference. ``spends`` names the exchanges that answer
    nothing more when the client was at a place; ``unrecorded`` is what it is told whose request is
    like nothing in the script. ``on_tape`` are the tape's own numbers of its exchanges.
    """

    def __init__(
        self,
        script: Script,
        *,
        is_strict: bool = False,
        ignored: Ignored | None = None,
        faults: Set[Spot] = frozenset(),
        spends: Mapping[Spot, Set[int]] = MappingProxyType({}),
        unrecorded: str = NOTHING_LIKE,
        on_tape: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self._script = script
        self._place = Place(
            script,
            is_strict=is_strict,
            ignored=ignored or Ignored(),
            faults=faults,
            spends=spends,
            unrecorded=unrecorded,
        )
        self._side = SideRequests(each for each in script.exchanges if not each.is_request)
        self._sockets = SocketPlayers(self._place)
        self._lacks_key = False
        self._hosts = {each.origin.host for each in script.exchanges}
        self._models = {each.origin for each in script.exchanges if each.is_request}
        for sentence in losses(script, on_tape):
            self.report.note(sentence)

    @property
    def report(self) -> Report:
        """The report so far; :meth:`finish` completes it."""
        return self._place.report

    def opens(self, origin: Origin) -> bool:
        """Whether to listen to what a client says through a tunnel there.

        A client may be configured for another model host than in the recording, or for another
        port of this machine: what it asks decides.
        """
        host = origin.host
        return host in self._hosts or _is_model_host(host) or is_this_machine(host)

    def block(self, blocked: Blocked) -> None:
        """Something was refused because it would have left the machine."""
        self.report.blocked[blocked] += 1

    def pass_on(self, passed: PassOn) -> None:
        """Something is passed on to this machine's own."""
        self.report.passed_on[passed.what] += 1

    def distrusted(self, origin: Origin) -> None:
        """A client did not accept that we speak for ``origin``."""
        self.report.note(
            f"a client did not go on with TLS to {origin}: it must trust the certificate "
            "authority named in SSL_CERT_FILE"
        )

    def http(self, request: HttpRequest) -> Iterable[Action] | Blocked | PassOn:
        """The answer to an HTTP request."""
        purpose = purpose_of(request.method, request.target, is_upgrade=False)
        if purpose is None or purpose is Purpose.MODELS:
            return self._side_request(request, purpose)
        asked = asked_at(request.target, asked_over_http(purpose, request.headers, request.body))
        caller = Caller(Transport.HTTP, request.connection)
        found = self._find(caller, asked, (Transport.HTTP, purpose), self._place.sessions)
        if not isinstance(found, _Found):
            return found
        self._note_circumstances(request, found.recorded)
        return self._script.answer(found.recorded)

    def upgrade(self, request: HttpRequest) -> Accept | Iterable[Action] | Blocked | PassOn:
        """The answer to the handshake of a WebSocket: a socket, or a refusal."""
        purpose = purpose_of(request.method, request.target, is_upgrade=True)
        if purpose is None:
            return self._elsewhere(request)
        caller = Caller(Transport.WEBSOCKET, request.connection)
        asked = asked_at(request.target, asked_by_upgrade(request.headers))
        found = self._find(
            caller,
            asked,
            (Transport.WEBSOCKET, purpose),
            # A handshake says too little to bind sessions by; the first message will.
            self._place.sessions.copy(),
        )
        if not isinstance(found, _Found):
            return found
        self._note_circumstances(request, found.recorded)
        head = self._script.head(found.recorded)
        if head is None or not found.recorded.exchange.is_websocket:
            return self._script.answer(found.recorded)
        socket = self._sockets.open(found.recorded, asked, caller, found.noted)
        return Accept(head, socket)

    def finish(self) -> Report:
        """The report, once the client is gone."""
        asked = {
            (each.exchange, each.message)
            for each in self.report.requests
            if each.verdict is not Verdict.UNEXPECTED
        }
        self.report.not_asked = [
            each for each in self._recorded() if (each.exchange, each.message) not in asked
        ]
        if self._lacks_key and self.report.has_findings:
            self.report.note(
                "the recorded client had a key and this one has none, so it may ask for other "
                "things: any key will do, for Codex CODEX_API_KEY=none"
            )
        return self.report

    def _recorded(self) -> Iterator[NotAsked]:
        """Every recorded request that is to be asked."""
        for recorded in self._script.exchanges:
            if not recorded.is_owed:
                continue
            transport, _ = recorded.way
            yield NotAsked(transport, self._script.asked(recorded).kind, *recorded.place)
            if recorded.exchange.is_websocket:
                for message in self._script.messages(recorded):
                    yield NotAsked(transport, message.asked.kind, *message.place)

    def _find(
        self, caller: Caller, asked: Asked, way: Way, sessions: Sessions
    ) -> "_Found | list[Action]":
        """The recorded exchange that repeats what is asked, or an error to answer with."""
        match = best_match(asked, self._place.unused(way), sessions)
        if match is None:
            alike = (each for each in self._script.exchanges if each.way == way)
            near = nearest(asked, map(self._script.candidate, alike), self._place.sessions)
            is_unused = near is not None and self._place.is_unused(near.recorded)
            return http_error(self._place.unexpected(caller, asked, near, is_unused=is_unused))
        self._place.use(match.recorded)
        noted = self._place.note(caller, asked, match)
        if refusal := self._place.refusal(noted, match):
            return http_error(refusal)
        return _Found(match.recorded, noted)

    def _side_request(
        self, request: HttpRequest, purpose: Purpose | None
    ) -> Iterable[Action] | Blocked | PassOn:
        recorded = self._side.find(request)
        what = _named(request)
        if recorded is None and purpose is None:
            return self._elsewhere(request)
        sides = self.report.side_requests
        exchange = recorded.id if recorded else None
        sides.append(SideRequest(len(sides) + 1, what, request.connection, exchange))
        if recorded is None:
            return http_error(f"{what} was not recorded", status=404, reason="Not Found")
        return self._script.answer(recorded)

    def _elsewhere(self, request: HttpRequest) -> Blocked | PassOn:
        """What becomes of a request that is not for us: clients have services of their own."""
        origin = request.origin
        if origin is not None and self._is_a_service(origin):
            return PassOn(origin, _named(request))
        return Blocked(str(origin or "the base URL"), _named(request))

    def _is_a_service(self, origin: Origin) -> bool:
        # Inside TLS a request was meant for another certificate than ours.
        is_plain = origin.scheme == "http"
        return is_plain and is_this_machine(origin.host) and origin not in self._models

    def _note_circumstances(self, request: HttpRequest, recorded: RecordedExchange) -> None:
        had_key = header(recorded.exchange.request.headers, _KEY) is not None
        self._lacks_key |= had_key and header(request.headers, _KEY) is None
        if request.origin is not None and str(request.origin) != str(recorded.origin):
            self.report.note(
                f"what was asked of {request.origin} was answered "
                f"with what was recorded from {recorded.origin}"
            )


@dataclass(frozen=True, slots=True)
class _Found:
    """What answers a request, and where the request stands in the report."""

    recorded: RecordedExchange
    noted: int


def _named(request: HttpRequest) -> str:
    return f"{request.method} {request.origin or ''}{request.path}"
