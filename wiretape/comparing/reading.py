"""Reads what was asked and what came back, attempt by attempt, from one side's tape."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from wiretape.asked import Asked, RequestKind, asked_at, asked_by_message, asked_in
from wiretape.attempt import Attempt, Transport
from wiretape.comparing.answers import Answer, answer_to
from wiretape.crossings import Crossing, crossings_of
from wiretape.facts import Sender
from wiretape.jsontext import JsonObject
from wiretape.sessions import Session
from wiretape.store_reader import Exchange, TapeReader
from wiretape.talk import Talk


@dataclass(slots=True)
class _Round:
    """A message of the client, and what the server sent after it."""

    message: str = ""
    sent: list[Crossing] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The message as it crossed."""
        return self.message.encode("utf-8", "surrogatepass")


class Side:
    """One of the two sessions, and the tape that it is on.

    The exchange that was looked at last is kept, since a socket carries many attempts.
    """

    def __init__(self, reader: TapeReader, session: Session) -> None:
        self.session = session
        self._reader = reader
        self._messages: dict[int, set[int]] = defaultdict(set)
        for each in session.tries:
            if each.attempt.message is not None:
                self._messages[each.attempt.exchange].add(each.attempt.message)
        self._rounds_of = lru_cache(maxsize=1)(self._rounds)
        self._bodies_of = lru_cache(maxsize=1)(self._bodies)

    @property
    def has_sockets(self) -> bool:
        """Whether anything of the session went over a WebSocket."""
        return Transport.WEBSOCKET in self.session.transports

    def read(self, attempt: Attempt) -> tuple[Asked, Answer]:
        """What the client asked with this attempt, and what came back."""
        exchange = self._exchange(attempt)
        found = self._round(exchange, attempt)
        return self._asked(exchange, attempt, found), answer_to(attempt, exchange, found.sent)

    def asked(self, attempt: Attempt) -> Asked:
        """What the client asked with this attempt: the answer takes far longer to be read."""
        exchange = self._exchange(attempt)
        # Over HTTP, what was asked is no part of what crossed after it.
        is_message = attempt.message is not None
        found = self._round(exchange, attempt) if is_message else _Round()
        return self._asked(exchange, attempt, found)

    def _round(self, exchange: Exchange, attempt: Attempt) -> _Round:
        return self._rounds_of(exchange).get(attempt.message, _Round())

    def _exchange(self, attempt: Attempt) -> Exchange:
        exchange = self._reader.exchange(attempt.exchange)
        assert exchange is not None
        return exchange

    def meant(self, attempt: Attempt, asked: Asked) -> Asked:
        """What was asked with this attempt, with all that it leaves out because its socket has
        heard it. As it stands where it leaves out nothing, or something else."""
        if attempt.message is None or not asked.says_only_what_is_new:
            return asked
        exchange = self._exchange(attempt)
        body = self._bodies_of(exchange)[attempt.message]
        return asked if body is None else replace(asked, kind=RequestKind.CREATE, body=body)

    def _asked(self, exchange: Exchange, attempt: Attempt, found: _Round) -> Asked:
        request = exchange.request
        if attempt.message is not None:
            asked = asked_by_message(request.headers, found.data)
            is_first = attempt.message == min(self._messages[exchange.id])
            # The handshake's headers are compared once for a socket.
            return asked if is_first else replace(asked, headers=())
        asked = asked_in(request, self._reader.request_body(exchange.id))
        return asked_at(request.target, asked)

    def _rounds(self, exchange: Exchange) -> Mapping[int | None, _Round]:
        """What crossed, by the attempt that it belongs to: told by its message."""
        attempts = self._messages.get(exchange.id, set())
        found: dict[int | None, _Round] = defaultdict(_Round)
        current: int | None = None
        count = 0
        for crossing in crossings_of(self._reader, exchange):
            if crossing.sender is Sender.CLIENT and crossing.text is not None:
                if count in attempts:
                    current = count
                    found[current].message = crossing.text
                count += 1
            elif crossing.sender is Sender.SERVER:
                found[current].sent.append(crossing)
        return found

    def _bodies(self, exchange: Exchange) -> Mapping[int, JsonObject | None]:
        """The messages of a socket as requests that say everything, where that is known."""
        found: dict[int, JsonObject | None] = {}
        talk = Talk()
        for message, each in self._rounds_of(exchange).items():
            if message is not None:
                asked = asked_by_message(exchange.request.headers, each.data)
                found[message] = talk.whole(asked)
                talk.answered(sent.text for sent in each.sent if sent.text is not None)
        return found
