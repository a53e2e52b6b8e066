"""A script being played: which behaviour is next, what it says, and the log of what was asked."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import provider_events
import provider_tools
from provider_http import Request
from provider_log import Ask, Asked, Exit, Left
from provider_script import NOT_FOUND, Accept, Behaviour, Drop, Event, Plain, Reply, Script, pick


@dataclass(slots=True)
class Course:
    """Where a script has got to, for all connections together. Times come in as arguments."""

    script: Script
    log: list[Asked | Left] = field(default_factory=list)
    _tools: tuple[str, ...] = ()
    _replies: int = 0
    _counts: Counter[Ask] = field(default_factory=Counter)

    def ask(
        self, kind: Ask, connection: int, at_s: float, request: Request, raw: bytes
    ) -> Behaviour | None:
        """Notes a request (``raw`` is its body or message) and gives the behaviour for it."""
        behaviours: dict[Ask, Sequence[Behaviour]] = {
            Ask.SSE: self.script.posts,
            Ask.UPGRADE: self.script.upgrades,
            Ask.WEBSOCKET: self.script.messages,
            Ask.WARM_UP: self.script.warm_ups,
            Ask.MODELS: self.script.models,
        }
        behaviour = pick(behaviours.get(kind, ()), self._counts[kind])
        self._counts[kind] += 1
        body = json.loads(raw) if raw else None
        # A response.append names no tools: those of the request before it still stand.
        self._tools = provider_tools.offered(body) or self._tools
        self.log.append(
            Asked(
                kind=kind,
                connection=connection,
                at_s=at_s,
                method=request.method,
                target=request.target,
                headers=request.headers,
                body=body,
                raw=raw,
                status=_status(kind, behaviour),
            )
        )
        return behaviour

    def leave(
        self,
        connection: int,
        at_s: float,
        how: Exit,
        code: int | None = None,
        reason: str | None = None,
    ) -> None:
        """Notes how a client left."""
        self.log.append(Left(connection, at_s, how, code, reason))

    def steps(self, reply: Reply) -> tuple[Event, ...]:
        """What a reply says, cut where the script cuts it. Counts as one reply given."""
        self._replies += 1
        whole = provider_events.events(reply.content, self._replies, self._tools)
        return whole[: reply.only]


def _status(kind: Ask, behaviour: Behaviour | None) -> int | None:
    match behaviour:
        case _ if kind in (Ask.WEBSOCKET, Ask.WARM_UP):
            return None
        case Plain(status):
            return status
        case Accept():
            return 101
        case Reply():
            return 200
        case Drop():
            return None
        case None:
            return NOT_FOUND.status
