"""A provider's script as what happens on the wire: to a client that is told, not connected.

Nothing in here knows what a client does; it only turns what the script does into what happens.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import provider_events
from provider_log import Ask as Asked
from provider_script import (
    NOT_FOUND,
    Accept,
    Behaviour,
    Close,
    Complete,
    Drop,
    Event,
    Fin,
    Hang,
    Ping,
    Plain,
    Reply,
    Reset,
    Script,
    pick,
)

from wiretape.client.actions import Action, Ask, Post, Upgrade, WarmUp
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    Said,
    SaidBytes,
    TimedOut,
    Unanswered,
    Unreachable,
)
from wiretape.sse import SseDecoder

NOBODY = "Connection refused (os error 111)"

_TOOLS = ("exec_command",)


@dataclass(slots=True)
class PlayedScript:
    """A script, played from its beginning; ``None`` where nobody is at the provider's address.

    ``asked`` is what the provider's ``summary`` will be, word for word.
    """

    script: Script | None
    asked: list[str] = field(default_factory=list)
    _replies: int = 0
    _counts: Counter[Asked] = field(default_factory=Counter)

    def happenings(self, action: Action) -> Iterator[Input]:
        """What the action leads to, one thing after the other."""
        match action:
            case Upgrade():
                yield from self._upgrade()
            case WarmUp():
                yield from self._socket(Asked.WARM_UP)
            case Ask():
                yield from self._socket(Asked.WEBSOCKET)
            case Post():
                yield from self._post()

    def _upgrade(self) -> Iterator[Input]:
        match self._behaviour(Asked.UPGRADE):
            case None:
                yield Unreachable(NOBODY)
            case Accept(headers):
                yield Opened(headers)
            case Plain(status, body, headers):
                yield Refused(status, headers, body)
            case Drop(Hang()):
                yield TimedOut()
            case Drop(Fin()):
                yield Unanswered(Breakage.UPGRADE_DROPPED)
            case Drop(Reset()):
                yield Unanswered(Breakage.UPGRADE_RESET)

    def _post(self) -> Iterator[Input]:
        match self._behaviour(Asked.SSE):
            case None:
                yield Unreachable(NOBODY)
            case Drop(Fin() | Reset()):
                yield Unanswered(Breakage.BODY_CUT)
            case Plain(status, body, headers) if not 200 <= status <= 299:
                yield Refused(status, headers, body)
            case Plain(_, body, headers):
                yield Opened(headers)
                yield from _events((body.encode(),))
                yield Ended()
            case Reply() as reply:
                yield Opened(reply.headers)
                yield from _events(self._steps(reply))
                match reply.end:
                    case Complete():
                        yield Ended()
                    case Fin() | Reset():
                        yield Broken(Breakage.BODY_CUT)
                    case Hang():
                        yield TimedOut()

    def _socket(self, kind: Asked) -> Iterator[Input]:
        match self._behaviour(kind):
            case Reply() as reply:
                yield from (_message(step) for step in self._steps(reply))
                match reply.end:
                    case Complete() | Hang():
                        yield TimedOut()
                    case Fin():
                        yield Broken(Breakage.SOCKET_DROPPED)
                    case Reset():
                        yield Broken(Breakage.SOCKET_RESET)
                    case Close(code, reason):
                        yield Closed(code, reason)

    def _behaviour(self, kind: Asked) -> Behaviour | None:
        """What the script does about the next thing asked of this kind, which is noted."""
        if self.script is None:
            return None
        behaviours: Mapping[Asked, tuple[Behaviour, ...]] = {
            Asked.SSE: self.script.posts,
            Asked.UPGRADE: self.script.upgrades,
            Asked.WEBSOCKET: self.script.messages,
            Asked.WARM_UP: self.script.warm_ups,
        }
        behaviour = pick(behaviours[kind], self._counts[kind]) or NOT_FOUND
        self._counts[kind] += 1
        match behaviour:
            case Plain(status) if status != 200:
                self.asked.append(f"{kind} {status}")
            case Drop():
                self.asked.append(f"{kind} unanswered")
            case _:
                self.asked.append(str(kind))
        return behaviour

    def _steps(self, reply: Reply) -> tuple[Event, ...]:
        self._replies += 1
        return provider_events.events(reply.content, self._replies, _TOOLS)[: reply.only]


def _events(steps: tuple[Event, ...]) -> Iterator[Input]:
    """What an SSE body of these steps says."""
    decoder = SseDecoder()
    for step in steps:
        match step:
            case dict():
                yield Said(_compact(step))
            case str():
                yield Said(step)
            case bytes():
                yield from (Said(event.data) for event in decoder.feed(step))
            case Ping():
                pass


def _message(step: Event) -> Input:
    match step:
        case dict():
            return Said(_compact(step))
        case str():
            return Said(step)
        case bytes():
            return SaidBytes(step)
        case Ping():
            return Pinged()


def _compact(event: dict[str, object]) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)
