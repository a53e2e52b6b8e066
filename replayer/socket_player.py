"""Plays recorded WebSockets to those that a client opens. Sans-I/O.

A handshake says little, and so does a warm-up. Which recorded socket the client has opened is
settled only by the first message that asks for something; until then sockets, and recordings that
nobody uses, may change places.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from replayer.actions import Action, Hold
from replayer.matching import Candidate, best_match, compare, nearest
from replayer.place import Caller, Place
from replayer.refusals import socket_error
from replayer.report import SideRequest
from replayer.script import RecordedExchange, RecordedMessage, asked_on_socket
from replayer.socket_talk import SocketTalk
from replayer.warm_ups import NOTE, WHAT
from replayer.warm_ups import answer as warm_up_answer
from wiretape.asked import Asked, RequestKind


class SocketPlayers:
    """The sockets that the client has opened."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._sockets: list[SocketPlayer] = []

    def open(
        self, recorded: RecordedExchange, upgrade: Asked, caller: Caller, noted: int
    ) -> "SocketPlayer":
        """A player for ``recorded``, whose handshake stands in the report at ``noted``."""
        socket = SocketPlayer(self, self._place, recorded, upgrade, caller, noted)
        self._sockets.append(socket)
        return socket

    def settle(self, socket: "SocketPlayer", asked: Asked) -> None:
        """Gives ``socket`` the recording that goes on most like ``asked`` after its warm-ups."""
        script = self._place.script
        warm_ups = socket.warm_ups
        free = {
            other.recorded.id: other
            for other in self._sockets
            if not other.has_begun and other.warm_ups == warm_ups
        }
        candidates = [socket.recorded]
        candidates += [other.recorded for other in free.values() if other is not socket]
        unused = self._place.unused(socket.recorded.way)
        candidates += [each.recorded for each in unused if each.recorded.exchange.is_websocket]
        match = best_match(
            asked,
            [
                Candidate(each, goes_on.session, goes_on.read, goes_on.meant)
                for each in candidates
                if _is_warmed(script.messages(each)[:warm_ups], warm_ups)
                and _can_answer(asked, script.messages(each)[warm_ups : warm_ups + 1])
                for goes_on in [socket.expected(script.messages(each)[warm_ups])]
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
        upgrade: Asked,
        caller: Caller,
        noted: int,
    ) -> None:
        self._sockets = sockets
        self._place = place
        self._upgrade = upgrade
        self._caller = caller
        self._noted = noted
        self._warmed: list[tuple[int, Asked]] = []
        self._given: str | None = None
        self._answering = -1
        self._talk = SocketTalk()
        self._load(recorded)

    @property
    def warm_ups(self) -> int:
        """How many warm-ups the client has asked for, and nothing else yet."""
        return len(self._warmed)

    def expected(self, message: RecordedMessage) -> Candidate[RecordedMessage]:
        """A recorded message, for matching what the client asks.

        The answer to a warm-up gave the client a response id to go on from. Where that was
        another recording's, it is no difference.
        """
        given = message.asked
        if self._given is not None and _goes_on_from(message) is not None:
            given = replace(given, body=given.body | {"previous_response_id": self._given})
        return Candidate(
            message, given.session, lambda: given, lambda asked: self._talk.meant(asked, given)
        )

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
        match = compare(self._upgrade, candidate, ids)
        self._place.note_again(self._noted, match)
        for noted, asked in self._warmed:
            warm_up = compare(asked, self._unused.pop(0).candidate, ids)
            self._place.note_again(noted, warm_up)

    def opened(self) -> Iterable[Action]:
        """What to do once the handshake is answered."""
        return self._opening

    def received(self, message: bytes) -> Iterable[Action]:
        """What to do when the client's message has arrived."""
        asked = asked_on_socket(self._upgrade.headers, message)
        if not self.has_begun:
            self._sockets.settle(self, asked)
        is_open = not self.has_begun and asked.kind is RequestKind.WARM_UP
        # A warm-up says too little to bind sessions by.
        sessions = self._place.sessions.copy() if is_open else self._place.sessions
        match = best_match(
            asked,
            [self.expected(each) for each in self._fitting(asked)],
            sessions,
        )
        self.has_begun = not is_open
        if (
            match is None
            and is_open
            and not self._place.is_strict_about(self._place.report.requests)
        ):
            return self._warmed_up(asked)
        if match is None:
            recorded = self._place.script.messages(self.recorded)
            near = nearest(asked, [each.candidate for each in recorded], self._place.sessions)
            return socket_error(self._place.unexpected(self._caller, asked, near))
        self._unused.remove(match.recorded)
        self._talk.heard(asked, match.recorded.asked)
        noted = self._place.note(self._caller, asked, match)
        if is_open:
            self._warmed.append((noted, asked))
            self._given = _goes_on_from(self._unused[0]) if self._unused else None
        else:
            self._given = None
        if refusal := self._place.refusal(noted, match):
            return socket_error(refusal)
        self._answering = match.recorded.number
        return self._socket.answer(match.recorded.number)

    def _fitting(self, asked: Asked) -> list[RecordedMessage]:
        """The recorded messages that may be what is asked, in their order."""
        fitting = [each for each in self._unused if _can_answer(asked, [each])]
        if self.has_begun:
            return fitting
        # Nothing was said yet that could be appended to.
        return [each for each in fitting if each.asked.kind is not RequestKind.APPEND] or fitting

    def _warmed_up(self, asked: Asked) -> list[Action]:
        """What to do about a warm-up that was not recorded. It may be any socket still."""
        self._talk.heard(asked, asked)
        report = self._place.report
        number = len(report.side_requests) + 1
        report.side_requests.append(SideRequest(number, WHAT, self._caller.connection, None))
        report.note(NOTE)
        return warm_up_answer()

    def answers_pings(self) -> bool:
        """Whether the client's pings are answered."""
        return self._socket.answers_pings(self._answering)

    def closed(self) -> Iterable[Action] | None:
        """What to do when the client closes the socket; ``None`` is to answer as usual."""
        return self._socket.closed()


def _goes_on_from(message: RecordedMessage) -> str | None:
    """The id of the response that a message goes on from."""
    body = message.asked.body
    before = body.get("previous_response_id") if isinstance(body, dict) else None
    return before if isinstance(before, str) else None


def _is_warmed(messages: Sequence[RecordedMessage], warm_ups: int) -> bool:
    """Whether a recorded socket begins with as many warm-ups."""
    return len(messages) == warm_ups and all(
        message.asked.kind is RequestKind.WARM_UP for message in messages
    )


def _can_answer(asked: Asked, recorded: Sequence[RecordedMessage]) -> bool:
    """Whether a request may be answered as the first of ``recorded`` was: a warm-up produces
    nothing, so its answer is of no use to any other request."""
    return bool(recorded) and (asked.kind is RequestKind.WARM_UP) is (
        recorded[0].asked.kind is RequestKind.WARM_UP
    )
