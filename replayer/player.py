"""The player: a request in, actions out. Sans-I/O; holds the place in the recording.

It never sees a socket or a clock. A server hands it what the client asked and performs what it
answers.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from replayer.actions import Action, Finish, Hold, SendBytes, SendFrame, SendHead
from replayer.likeness import Difference
from replayer.matching import Match, Sessions, best_match, nearest
from replayer.report import NotAsked, ReplayedRequest, Report, Verdict
from replayer.script import RecordedExchange, RecordedMessage, RecordedSocket, Script, sent_headers
from wiretape.asked import Asked, RequestKind, asked_by_message, asked_by_upgrade, asked_over_http
from wiretape.facts import Headers, PieceKind
from wiretape.scope import Purpose, purpose_of

_HTTP: Final = "http"
_WEBSOCKET: Final = "websocket"


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request that has arrived whole. ``host`` and ``port`` are what the client means to reach,
    ``None`` where it was told to reach the player itself."""

    method: str
    target: str
    headers: Headers
    body: bytes
    connection: int
    host: str | None = None
    port: int | None = None

    @property
    def is_upgrade(self) -> bool:
        return any(
            name.lower() == "upgrade" and value.lower() == "websocket"
            for name, value in self.headers
        )


@dataclass(frozen=True, slots=True)
class Accept:
    """Accept the upgrade: the recorded headers to answer with, and the socket to play."""

    headers: Headers
    socket: "SocketPlayer"


class Player:
    """Plays ``script`` to one client.

    With ``is_strict``, a request that differs from the recording is answered with an error that
    the client treats as fatal, instead of with the recorded answer.
    """

    def __init__(self, script: Script, *, is_strict: bool = False) -> None:
        self.script = script
        self.is_strict = is_strict
        self.report = Report()
        self.sessions = Sessions()
        self._unused = [recorded for recorded in script.exchanges if _is_request(recorded)]
        self._side = [recorded for recorded in script.exchanges if not _is_request(recorded)]
        self._last_side: dict[str, RecordedExchange] = {}
        self._sockets: dict[int, SocketPlayer] = {}
        if script.gaps:
            self.report.notes.append(
                f"the recording has {len(script.gaps)} gaps: what was lost cannot be replayed"
            )

    def knows(self, host: str, port: int) -> bool:
        """Whether anything was recorded from that host."""
        return (host, port) in self.script.origins()

    def block(self, what: str) -> None:
        """Something was refused because it would have left the machine."""
        self.report.blocked[what] += 1

    def http(self, request: HttpRequest) -> Iterable[Action]:
        """The answer to an HTTP request."""
        purpose = purpose_of(request.method, request.target, is_upgrade=False)
        asked = asked_over_http(purpose, request.headers, request.body)
        if purpose is None or purpose is Purpose.MODELS:
            return self._side_request(request, asked)
        candidates = [
            recorded
            for recorded in self._unused
            if recorded.purpose is purpose and not recorded.exchange.is_upgrade
        ]
        match = best_match(asked, candidates, self.script.asked, self.sessions)
        if match is None:
            return self._unexpected_http(request, asked, purpose)
        self._unused.remove(match.recorded)
        self.note(_HTTP, asked, request.connection, match.recorded.id, None, match.differences)
        if self.is_strict and match.differences:
            return _http_error(_difference_sentence(match.differences))
        return self.script.answer(match.recorded)

    def upgrade(self, request: HttpRequest) -> Accept | Iterable[Action]:
        """The answer to the handshake of a WebSocket: a socket, or a refusal."""
        asked = asked_by_upgrade(request.headers)
        candidates = [recorded for recorded in self._unused if recorded.exchange.is_upgrade]
        # A handshake says too little to bind sessions by; the first message will.
        match = best_match(asked, candidates, self.script.asked, self.sessions.copy())
        if match is None:
            return self._unexpected_http(request, asked, None)
        recorded = match.recorded
        self._unused.remove(recorded)
        self.note(_WEBSOCKET, asked, request.connection, recorded.id, None, match.differences)
        if not recorded.exchange.is_websocket:
            return self.script.answer(recorded)
        assert recorded.exchange.response is not None
        socket = SocketPlayer(self, recorded, request.headers, request.connection)
        self._sockets[recorded.id] = socket
        return Accept(sent_headers(recorded.exchange.response.headers), socket)

    def finish(self) -> Report:
        """The report, once the client is gone."""
        self.report.not_asked = sorted(
            self._never_asked(), key=lambda each: (each.exchange, each.message or -1)
        )
        return self.report

    def swap(self, socket: "SocketPlayer", message: bytes, headers: Headers) -> None:
        """Gives ``socket`` another unused recording, if that one fits ``message`` better.

        A handshake says little; with several sockets in a recording only the first message tells
        which one the client has opened.
        """
        asked = asked_by_message(headers, message)
        candidates = [socket.recorded] + [
            recorded
            for recorded in self._unused
            if recorded.exchange.is_websocket and self.script.messages(recorded)
        ]
        match = best_match(
            asked,
            [recorded for recorded in candidates if self.script.messages(recorded)],
            lambda recorded: self.script.messages(recorded)[0].asked,
            self.sessions.copy(),
        )
        if match is not None and match.recorded is not socket.recorded:
            self._unused.remove(match.recorded)
            self._unused.append(socket.recorded)
            self._unused.sort(key=lambda recorded: recorded.id)
            del self._sockets[socket.recorded.id]
            self._sockets[match.recorded.id] = socket
            socket.play(match.recorded)

    def note(
        self,
        transport: str,
        asked: Asked,
        connection: int,
        exchange: int | None,
        message: int | None,
        differences: tuple[Difference, ...],
        verdict: Verdict | None = None,
    ) -> None:
        """Puts one request of the client into the report."""
        if verdict is None:
            verdict = Verdict.DIFFERENT if differences else Verdict.EXACT
        requests = self.report.requests
        requests.append(
            ReplayedRequest(
                len(requests) + 1,
                transport,
                asked.kind,
                connection,
                verdict,
                exchange,
                message,
                differences,
            )
        )

    def _side_request(self, request: HttpRequest, asked: Asked) -> Iterable[Action]:
        path = request.target.partition("?")[0]
        place = f"{request.host}:{request.port}{path}"
        recorded = next((each for each in self._side if _is_same_side_request(each, request)), None)
        if recorded is not None:
            self._side.remove(recorded)
            self._last_side[place] = recorded
        else:
            # Clients ask for the model list as often as they like; the last answer still holds.
            recorded = self._last_side.get(place)
        if recorded is None:
            if asked.kind is not RequestKind.MODELS:
                self.block(f"{request.method} {place}")
            return _http_error(f"{request.method} {path} was not recorded", status=404)
        sides = self.report.side_requests
        sides.append(
            ReplayedRequest(
                len(sides) + 1,
                _HTTP,
                asked.kind,
                request.connection,
                Verdict.EXACT,
                recorded.id,
                None,
            )
        )
        return self.script.answer(recorded)

    def _unexpected_http(
        self, request: HttpRequest, asked: Asked, purpose: Purpose | None
    ) -> Iterable[Action]:
        alike = [
            recorded
            for recorded in self.script.exchanges
            if _is_request(recorded)
            and recorded.exchange.is_upgrade is request.is_upgrade
            and (purpose is None or recorded.purpose is purpose)
        ]
        near = nearest(asked, alike, self.script.asked)
        transport = _WEBSOCKET if request.is_upgrade else _HTTP
        self.note(
            transport,
            asked,
            request.connection,
            near.recorded.id if near else None,
            None,
            near.differences if near else (),
            Verdict.UNEXPECTED,
        )
        return _http_error(_unexpected_sentence(near))

    def _never_asked(self) -> Iterator[NotAsked]:
        for recorded in self._unused:
            kind = self.script.asked(recorded).kind
            if not recorded.exchange.is_websocket:
                transport = _WEBSOCKET if recorded.exchange.is_upgrade else _HTTP
                yield NotAsked(transport, kind, recorded.id, None)
                continue
            yield NotAsked(_WEBSOCKET, kind, recorded.id, None)
            for message in self.script.messages(recorded):
                yield NotAsked(_WEBSOCKET, message.asked.kind, recorded.id, message.number)
        for socket in self._sockets.values():
            for message in socket.unused():
                yield NotAsked(_WEBSOCKET, message.asked.kind, message.exchange, message.number)


class SocketPlayer:
    """Plays one recorded WebSocket to one that the client has opened."""

    def __init__(
        self, player: Player, recorded: RecordedExchange, headers: Headers, connection: int
    ) -> None:
        self._player = player
        self._headers = headers
        self._connection = connection
        self._has_sent = False
        self.play(recorded)

    def play(self, recorded: RecordedExchange) -> None:
        """Plays ``recorded`` from its start."""
        self.recorded = recorded
        self._next = 0
        self._socket: RecordedSocket = self._player.script.socket(recorded)
        self._opening = list(self._socket.until_next_request())

    def opened(self) -> Iterable[Action]:
        """What to do once the handshake is answered."""
        self._has_sent = bool(self._opening)
        return self._opening

    def received(self, message: bytes) -> Iterable[Action]:
        """What to do when the client's message has arrived."""
        if self._next == 0 and not self._has_sent:
            self._player.swap(self, message, self._headers)
        asked = asked_by_message(self._headers, message)
        expected = self._player.script.messages(self.recorded)
        match = best_match(
            asked,
            expected[self._next : self._next + 1],
            lambda recorded: recorded.asked,
            self._player.sessions,
        )
        if match is None:
            return self._unexpected(asked, expected)
        self._next += 1
        self._has_sent = True
        self._player.note(
            _WEBSOCKET,
            asked,
            self._connection,
            self.recorded.id,
            match.recorded.number,
            match.differences,
        )
        if self._player.is_strict and match.differences:
            return _socket_error(_difference_sentence(match.differences))
        return self._socket.until_next_request()

    def unused(self) -> tuple[RecordedMessage, ...]:
        """The recorded requests of this socket that the client has not made."""
        return self._player.script.messages(self.recorded)[self._next :]

    def _unexpected(self, asked: Asked, recorded: tuple[RecordedMessage, ...]) -> Iterable[Action]:
        near = nearest(asked, recorded, lambda each: each.asked)
        self._player.note(
            _WEBSOCKET,
            asked,
            self._connection,
            self.recorded.id if near else None,
            near.recorded.number if near else None,
            near.differences if near else (),
            Verdict.UNEXPECTED,
        )
        return _socket_error(_unexpected_sentence(near))


def _is_request(recorded: RecordedExchange) -> bool:
    return recorded.purpose not in (None, Purpose.MODELS)


def _is_same_side_request(recorded: RecordedExchange, request: HttpRequest) -> bool:
    asked = recorded.exchange.request
    return (
        asked.method == request.method
        and asked.target.partition("?")[0] == request.target.partition("?")[0]
        and (request.host is None or (asked.host, asked.port) == (request.host, request.port))
    )


def _difference_sentence(differences: tuple[Difference, ...]) -> str:
    first = differences[0]
    return (
        f"wiretape: this request is not as it was recorded: {first.path} was "
        f"{first.recorded!r} and is {first.replayed!r}"
        + (f" ({len(differences) - 1} more differences)" if len(differences) > 1 else "")
    )


def _unexpected_sentence[T](near: Match[T] | None) -> str:
    if near is None:
        return "wiretape: nothing like this request was recorded"
    if not near.differences:
        return "wiretape: this request was recorded, but has been answered already"
    first = near.differences[0]
    return (
        "wiretape: this request was not recorded; the nearest one differs in "
        f"{first.path}: it was {first.recorded!r} and is {first.replayed!r}"
    )


def _http_error(message: str, *, status: int = 400) -> Iterable[Action]:
    # 400 is what clients give up on: they retry everything else, some even a 404.
    body = json.dumps(
        {"error": {"message": message, "type": "invalid_request_error", "code": "wiretape"}}
    ).encode()
    headers = (("content-type", "application/json"), ("content-length", str(len(body))))
    reason = "Not Found" if status == 404 else "Bad Request"
    return (SendHead(0, status, reason, headers, False), SendBytes(0, body), Finish(0))


def _socket_error(message: str) -> Iterable[Action]:
    event = {
        "type": "response.failed",
        "response": {
            "id": "resp_wiretape",
            "status": "failed",
            "error": {"code": "invalid_prompt", "message": message},
        },
    }
    return (SendFrame(0, PieceKind.TEXT, json.dumps(event).encode()), Hold())
