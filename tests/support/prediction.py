"""Plays a provider's script to the client model instead of to a client: what a run will be.

Nothing in here knows what a client does; it only turns what the script does into what happens on
the wire, and writes down what the model then asks for.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import provider_events
from codex_run import provider_config
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

from wiretape.client.actions import (
    Action,
    Ask,
    Fail,
    Finish,
    Post,
    Printed,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.config import read_config
from wiretape.client.dialect import Dialect
from wiretape.client.events import OutputItemDone
from wiretape.client.session import Session
from wiretape.client.turn import Output, Phase, Turn
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


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a run will be, seen from both ends.

    ``asked`` is what the provider's ``summary`` will be. ``complaints`` are the errors and
    warnings that ``codex exec --json`` prints; ``messages`` what the agent says.
    """

    asked: str
    complaints: tuple[str, ...]
    messages: tuple[str, ...]
    exit_code: int


def predict(
    script: Script | None,
    dialect: Dialect,
    *,
    base_url: str,
    transport: str,
    settings: Mapping[str, int],
) -> Prediction:
    """What the client of this dialect does with a provider that plays the script.

    Without a script there is nobody at the provider's address.
    """
    config = read_config(provider_config(base_url, transport, settings))
    return _Play(script, Turn(config, dialect, Session())).run()


@dataclass(slots=True)
class _Play:
    script: Script | None
    turn: Turn
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    replies: int = 0
    counts: Counter[Asked] = field(default_factory=Counter)

    def run(self) -> Prediction:
        action = self._take_in(self.turn.start())
        while action is not None:
            match action:
                case Finish():
                    return self._outcome(0)
                case Fail(text):
                    self.complaints.append(text)
                    return self._outcome(1)
                case RunTools():
                    action = self._take_in(self.turn.follow_up())
                case _:
                    action = self._perform(action)
        raise ValueError(f"the script ends while the client is {self.turn.phase}")

    def _outcome(self, exit_code: int) -> Prediction:
        asked, complaints = " ".join(self.asked), tuple(self.complaints)
        return Prediction(asked, complaints, tuple(self.messages), exit_code)

    def _perform(self, action: Action) -> Action | None:
        """Does what the action wants, until another one is wanted."""
        wanted: Action | None = None
        for happening in self._happenings(action):
            # What comes after the answer's end meets a client that rests, or nobody.
            if self.turn.phase is Phase.OVER or (
                self.turn.phase is Phase.RESTING and not isinstance(happening, Closed | Broken)
            ):
                continue
            if wanted is not None and not isinstance(wanted, RunTools):
                break
            wanted = self._take_in(self.turn.receive(happening)) or wanted
        return wanted

    def _take_in(self, outputs: list[Output]) -> Action | None:
        wanted: Action | None = None
        for output in outputs:
            match output:
                case Printed():
                    self.complaints.append(output.line)
                case OutputItemDone({"type": "message", "role": "assistant"} as item):
                    self.messages.append("".join(part["text"] for part in item["content"]))
                case Ask() | Fail() | Finish() | Post() | RunTools() | Upgrade() | WarmUp():
                    wanted = output
                case _:
                    pass
        return wanted

    def _happenings(self, action: Action) -> Iterator[Input]:
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
        behaviour = pick(behaviours[kind], self.counts[kind]) or NOT_FOUND
        self.counts[kind] += 1
        match behaviour:
            case Plain(status) if status != 200:
                self.asked.append(f"{kind} {status}")
            case Drop():
                self.asked.append(f"{kind} unanswered")
            case _:
                self.asked.append(str(kind))
        return behaviour

    def _steps(self, reply: Reply) -> tuple[Event, ...]:
        self.replies += 1
        return provider_events.events(reply.content, self.replies, _TOOLS)[: reply.only]


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
