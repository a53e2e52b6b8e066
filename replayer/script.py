"""A tape, laid out for playing: what was asked, and what was answered, exchange by exchange.

The script keeps the requests' order and sizes in memory and reads everything bulky from the tape
when it is needed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from replayer.actions import Action, SendHead
from replayer.answers import RecordedSocket, http_answer, is_request, response_head
from replayer.chats.asked import in_the_form_of
from replayer.http_request import Origin
from replayer.matching import Candidate
from wiretape.asked import (
    Asked,
    asked_at,
    asked_by_message,
    asked_in,
    session_named,
)
from wiretape.attempt import Transport
from wiretape.choosing import chosen_sessions, exchanges_of
from wiretape.facts import Headers
from wiretape.reconstruct import sessions_of
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader

type Way = tuple[Transport, Purpose | None]
"""What kind of request it is: only requests of one kind can be the same."""


@dataclass(frozen=True, slots=True)
class RecordedExchange:
    """An exchange that can be played."""

    exchange: Exchange
    way: Way

    @property
    def id(self) -> int:
        return self.exchange.id

    @property
    def purpose(self) -> Purpose | None:
        return self.way[1]

    @property
    def place(self) -> tuple[int, int | None]:
        """Exchange and message by which a report names it."""
        return self.exchange.id, None

    @property
    def is_request(self) -> bool:
        """Whether it asks a model for something, and is no side request."""
        return self.purpose not in (None, Purpose.MODELS)

    @property
    def is_owed(self) -> bool:
        """Whether a client that does not ask for it is unlike the recorded one. A WebSocket that
        would be refused, to whoever asks, is there for those that want one."""
        is_offer = (
            self.exchange.is_upgrade
            and not self.exchange.is_websocket
            and all(name.lower() == "upgrade" for name, _ in self.exchange.request.headers)
        )
        return self.is_request and not is_offer

    @property
    def origin(self) -> Origin:
        request = self.exchange.request
        return Origin(request.scheme, request.host.lower().rstrip("."), request.port)


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A request on a socket: the ``number``-th message of the client, from 0."""

    exchange: int
    number: int
    asked: Asked

    @property
    def candidate(self) -> Candidate["RecordedMessage"]:
        """The message, for matching."""
        return Candidate(self, self.asked.session, lambda: self.asked)

    @property
    def place(self) -> tuple[int, int | None]:
        """Exchange and message by which a report names it."""
        return self.exchange, self.number


def asked_on_socket(upgrade: Headers, message: bytes) -> Asked:
    """What a message asked, to be compared: the headers of its handshake were compared with it."""
    return replace(asked_by_message(upgrade, message), headers=())


type Recorded = RecordedExchange | RecordedMessage


class Script:
    """What the tape behind ``reader`` says, for a player. ``reader`` must outlive it.

    ``sessions`` are the sessions to play, as :func:`~wiretape.choosing.chosen_sessions` takes
    them; none means all.

    Raises:
        NoSuchSession: one of them is not on the tape.
    """

    def __init__(self, reader: TapeReader, sessions: Collection[str] = ()) -> None:
        self._reader = reader
        self.exchanges = tuple(
            RecordedExchange(exchange, _way(exchange)) for exchange in reader.exchanges()
        )
        self.gaps = tuple(reader.gaps())
        # Matching looks at the same few requests again and again.
        self._asked_of = lru_cache(maxsize=64)(self._read_asked)
        self._messages_of = lru_cache(maxsize=64)(self._read_messages)
        if sessions:
            self.exchanges = tuple(self._of_sessions(sessions))

    def asked(self, recorded: RecordedExchange) -> Asked:
        """What was asked by an exchange's request; for a WebSocket, by its handshake."""
        return self._asked_of(recorded)

    def candidate(self, recorded: RecordedExchange) -> Candidate[RecordedExchange]:
        """An exchange's request, or a WebSocket's handshake, for matching."""
        read = partial(self.asked, recorded)
        return Candidate(
            recorded, self._session(recorded), read, lambda asked: in_the_form_of(read(), asked)
        )

    def messages(self, recorded: RecordedExchange) -> tuple[RecordedMessage, ...]:
        """What was asked on a WebSocket, message by message."""
        return self._messages_of(recorded)

    def head(self, recorded: RecordedExchange) -> SendHead | None:
        """The recorded response head, if there was one."""
        return response_head(recorded.exchange)

    def answer(self, recorded: RecordedExchange) -> Iterator[Action]:
        """What was answered over HTTP, from the end of the request on."""
        return http_answer(recorded.exchange, partial(self._reader.pieces, recorded.id), self.gaps)

    def socket(self, recorded: RecordedExchange) -> RecordedSocket:
        """What the server did on a WebSocket."""
        return RecordedSocket(
            recorded.exchange, partial(self._reader.pieces, recorded.id), self.gaps
        )

    def _of_sessions(self, names: Collection[str]) -> Iterator[RecordedExchange]:
        """The exchanges of those sessions, and all side requests."""
        chosen = chosen_sessions(sessions_of(self._reader), names, self._reader.path)
        ids = {session.id for session in chosen} - {None}
        tried = exchanges_of(chosen)
        for recorded in self.exchanges:
            is_meant = recorded.id in tried or self._session(recorded) in ids
            if is_meant or not recorded.is_request:
                yield recorded

    def _session(self, recorded: RecordedExchange) -> str | None:
        """The session that an exchange's request names. Its body is read only where its headers
        do not say it."""
        named = session_named(recorded.exchange.request.headers)
        return named or self.asked(recorded).session

    def _read_asked(self, recorded: RecordedExchange) -> Asked:
        request = recorded.exchange.request
        asked = asked_in(request, self._reader.request_body(recorded.id))
        return asked_at(request.target, asked)

    def _read_messages(self, recorded: RecordedExchange) -> tuple[RecordedMessage, ...]:
        headers = recorded.exchange.request.headers
        requests = (piece for piece in self._reader.pieces(recorded.id) if is_request(piece))
        return tuple(
            RecordedMessage(recorded.id, number, asked_on_socket(headers, piece.data))
            for number, piece in enumerate(requests)
        )


def _way(exchange: Exchange) -> Way:
    request, is_upgrade = exchange.request, exchange.is_upgrade
    purpose = purpose_of(request.method, request.target, is_upgrade=is_upgrade)
    return Transport.WEBSOCKET if is_upgrade else Transport.HTTP, purpose
