"""The sessions of a tape as acts of a client, in order, and what came of each."""

from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Final

from replayer.http_request import Origin
from replayer.reference.acts import Act, ActKind, acts_of
from replayer.reference.happenings import (
    Happening,
    post_happenings,
    socket_answers,
    upgrade_happening,
)
from wiretape.asked import asked_in
from wiretape.client.config import WEBSOCKET_FEATURE, Config, Provider
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import dialect_for
from wiretape.facts import EndKind, header
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class RecordedSession:
    """One session. ``reader`` must outlive it.

    ``acts`` are those that ask for responses, by time, up to the first compaction of what they
    said: after it the conversation is another one, which no client could know from the one before.
    ``compactions_us`` are the times of all.
    """

    def __init__(
        self,
        reader: TapeReader,
        session: str | None,
        acts: Iterable[Act],
        compactions_us: Iterable[int] = (),
    ) -> None:
        self.id = session
        self.reader = reader
        self._answers = lru_cache(maxsize=4)(self._read_answers)
        ordered = sorted(acts, key=lambda act: (act.at_us, act.exchange.id))
        self.compacted_at_us = min(
            (at_us for at_us in compactions_us if at_us > ordered[0].at_us), default=None
        )
        self.acts = tuple(
            act
            for act in ordered
            if self.compacted_at_us is None or act.at_us < self.compacted_at_us
        )

    @cached_property
    def client(self) -> str | None:
        """The user agent."""
        agents = (header(act.exchange.request.headers, "user-agent") for act in self.acts)
        return next((agent for agent in agents if agent is not None), None)

    @cached_property
    def dialect(self) -> Dialect | None:
        """How the client behaves; ``None`` for one that is not known to be a Codex."""
        dialects = (dialect_for(act.exchange.request.headers) for act in self.acts)
        return next((dialect for dialect in dialects if dialect is not None), None)

    @cached_property
    def goes_on_unseen(self) -> str | None:
        """Why more than its acts cannot be expected, in words; ``None`` where it can."""
        end = self.acts[-1].exchange.end
        if self.compacted_at_us is not None:
            return "the conversation was compacted"
        if not self.reader.is_closed() or end is None or end.how is EndKind.RECORDER_STOPPED:
            return "the recording stops"
        if self.acts[-1].kind is ActKind.WARM_UP:
            # A client warms up before anybody asks it for something, and somebody may never do.
            return "the recorded client warmed up, and asked for nothing"
        return None

    def happenings(self, act: Act) -> Iterator[Happening]:
        """What came of an act."""
        exchange = act.exchange
        match act.kind:
            case ActKind.UPGRADE:
                yield upgrade_happening(exchange, self.reader.pieces(exchange.id))
                if act.is_unused:
                    yield from self._answers(exchange)[0]
            case ActKind.POST:
                yield from post_happenings(exchange, self.reader.pieces(exchange.id))
            case ActKind.ASK | ActKind.WARM_UP:
                assert act.message is not None
                yield from self._answers(exchange)[act.message]

    def config(self, stream_max_retries: int, request_max_retries: int) -> Config:
        """What the client was told, as far as the wire shows it, with these budgets."""
        has_sockets = any(act.kind is ActKind.UPGRADE for act in self.acts)
        provider = Provider(
            name="recorded",
            base_url=_base_url(self.acts[0].exchange),
            supports_websockets=has_sockets,
            stream_max_retries=stream_max_retries,
            request_max_retries=request_max_retries,
        )
        return Config(provider, {provider.name: provider}, {WEBSOCKET_FEATURE: has_sockets})

    def _read_answers(self, exchange: Exchange) -> list[list[Happening]]:
        return socket_answers(exchange, self.reader.pieces(exchange.id))


def recorded_sessions(reader: TapeReader) -> list[RecordedSession]:
    """The sessions that ask for responses, in the order in which they began."""
    acts: dict[str | None, list[Act]] = {}
    compactions: dict[str | None, list[int]] = {}
    for exchange in reader.exchanges():
        found = list(acts_of(reader, exchange))
        named = (act.asked.session for act in found if act.asked.session is not None)
        if found:
            acts.setdefault(next(named, None), []).extend(found)
        elif _purpose(exchange) is Purpose.COMPACT:
            session = asked_in(exchange.request, reader.request_body(exchange.id)).session
            compactions.setdefault(session, []).append(exchange.request.at_us)
    return [
        RecordedSession(reader, session, each, compactions.get(session, ()))
        for session, each in acts.items()
    ]


def _purpose(exchange: Exchange) -> Purpose | None:
    request = exchange.request
    return purpose_of(request.method, request.target, is_upgrade=exchange.is_upgrade)


def _base_url(exchange: Exchange) -> str:
    request = exchange.request
    path, question, query = request.target.partition("?")
    origin = Origin(request.scheme, request.host, request.port)
    authority = str(origin)
    if _DEFAULT_PORTS.get(request.scheme) == request.port:
        authority = authority.rpartition(":")[0]
    base = f"{request.scheme}://{authority}{path.rstrip('/').removesuffix('/responses')}"
    return f"{base}{question}{query}"
