"""Reads what was asked and what came back, attempt by attempt, from one side's tape."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from wiretape.asked import Asked, asked_by_message, asked_by_upgrade, asked_over_http
from wiretape.attempts import Attempt
from wiretape.comparing.answers import Answer, answer_to
from wiretape.crossings import Crossing, crossings_of
from wiretape.facts import Sender
from wiretape.reconstruct import Session
from wiretape.redact import redact_text
from wiretape.scope import purpose_of
from wiretape.store_reader import Exchange, TapeReader


@dataclass(slots=True)
class _Round:
    """A message of the client, and what the server sent after it."""

    message: str = ""
    sent: list[Crossing] = field(default_factory=list)


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

    def read(self, attempt: Attempt) -> tuple[Asked, Answer]:
        """What the client asked with this attempt, and what came back."""
        exchange = self._reader.exchange(attempt.exchange)
        assert exchange is not None
        found = self._rounds_of(exchange).get(attempt.message, _Round())
        return self._asked(exchange, attempt, found), answer_to(attempt, exchange, found.sent)

    def _asked(self, exchange: Exchange, attempt: Attempt, found: _Round) -> Asked:
        request = exchange.request
        if attempt.message is not None:
            asked = asked_by_message(
                request.headers, found.message.encode("utf-8", "surrogatepass")
            )
            is_first = attempt.message == min(self._messages[exchange.id])
            # The handshake's headers are compared once for a socket.
            return asked if is_first else replace(asked, headers=())
        query = redact_text(request.target).partition("?")[2]
        if exchange.is_upgrade:
            return replace(asked_by_upgrade(request.headers), query=query)
        purpose = purpose_of(request.method, request.target, is_upgrade=False)
        body = self._reader.request_body(exchange.id)
        return replace(asked_over_http(purpose, request.headers, body), query=query)

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
