"""Plays recorded WebSockets to those that a client opens. Sans-I/O.

A handshake says little. Which recorded socket the client has opened is settled only by its first
message; until then sockets, and recordings that nobody uses, may change places.
"""

from collections.abc import Iterable, Sequence

from replayer.actions import Action, Hold
from replayer.matching import Candidate, best_match, compare, nearest
from replayer.place import Caller, Place
from replayer.refusals import difference_sentence, socket_error, unexpected_sentence
from replayer.script import RecordedExchange, RecordedMessage, asked_on_socket
from wiretape.asked import Asked, RequestKind, asked_by_upgrade
from wiretape.facts import Headers


class SocketPlayers:
    """The sockets that the client has opened."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._sockets: list[SocketPlayer] = []

    def open(
        self, recorded: RecordedExchange, upgrade: Headers, caller: Caller, noted: int
    ) -> "SocketPlayer":
        """A player for ``recorded``, whose handshake stands in the report at ``noted``."""
        socket = SocketPlayer(self, self._place, recorded, upgrade, caller, noted)
        self._sockets.append(socket)
        return socket

    def settle(self, socket: "SocketPlayer", asked: Asked) -> None:
        """Gives ``socket`` the recording whose first request its first message is most like."""
        script = self._place.script
        free = {other.recorded.id: other for other in self._sockets if not other.has_begun}
        candidates = [socket.recorded]
        candidates += [other.recorded for other in free.values() if other is not socket]
        unused = self._place.unused(socket.recorded.way)
        candidates += [each.recorded for each in unused if each.recorded.exchange.is_websocket]
        match = best_match(
            asked,
            [
                _known_by(script.messages(each)[0], each)
                for each in candidates
                if _can_answer(asked, script.messages(each)[:1])
            ],
            self._place.sessions.copy(),
        )
        if match is None or match.recorded is socket.recorded:
            return
        given_up = socket.recorded
        if other := free.get(match.recorded.id):
            other.play(given_up)
        else:
            self._place.use(match.recorded)
            self._place.give_back(given_up)
        socket.play(match.recorded)


class SocketPlayer:
    """Plays one recorded WebSocket to one that the client has opened."""

    def __init__(
        self,
        sockets: SocketPlayers,
        place: Place,
        recorded: RecordedExchange,
        upgrade: Headers,
        caller: Caller,
        noted: int,
    ) -> None:
        self._sockets = sockets
        self._place = place
        self._upgrade = upgrade
        self._caller = caller
        self._noted = noted
        self._load(recorded)

    def _load(self, recorded: RecordedExchange) -> None:
        self.recorded = recorded
        self._unused = list(self._place.script.messages(recorded))
        self._socket = self._place.script.socket(recorded)
        self._opening = list(self._socket.opening())
        self.has_begun = any(not isinstance(action, Hold) for action in self._opening)

    def play(self, recorded: RecordedExchange) -> None:
        """Plays another recording than was thought when the socket was opened."""
        self._load(recorded)
        candidate = self._place.script.candidate(recorded)
        ids = self._place.sessions.ids.copy()
        match = compare(asked_by_upgrade(self._upgrade), candidate, ids)
        self._place.note_again(self._noted, match)

    def opened(self) -> Iterable[Action]:
        """What to do once the handshake is answered."""
        return self._opening

    def received(self, message: bytes) -> Iterable[Action]:
        """What to do when the client's message has arrived."""
        asked = asked_on_socket(self._upgrade, message)
        if not self.has_begun:
            self._sockets.settle(self, asked)
            self.has_begun = True
        candidates = [each.candidate for each in self._unused if _can_answer(asked, [each])]
        match = best_match(asked, candidates, self._place.sessions)
        if match is None:
            recorded = self._place.script.messages(self.recorded)
            near = nearest(asked, [each.candidate for each in recorded])
            self._place.note_unexpected(self._caller, asked, near)
            return socket_error(unexpected_sentence(near))
        self._unused.remove(match.recorded)
        self._place.note(self._caller, asked, match)
        if self._place.refuses(match):
            return socket_error(difference_sentence(match.differences))
        return self._socket.answer(match.recorded.number)


def _known_by(first: RecordedMessage, socket: RecordedExchange) -> Candidate[RecordedExchange]:
    """A socket, for matching by the first thing that is asked on it."""
    return Candidate(socket, first.asked.session, lambda: first.asked)


def _can_answer(asked: Asked, recorded: Sequence[RecordedMessage]) -> bool:
    """Whether a request may be answered as the first of ``recorded`` was: a warm-up produces
    nothing, so its answer is of no use to any other request."""
    return bool(recorded) and (asked.kind is RequestKind.WARM_UP) is (
        recorded[0].asked.kind is RequestKind.WARM_UP
    )
