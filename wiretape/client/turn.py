"""A turn of the client: what it asks over which transport, what it prints, how it ends.

One ``Turn`` takes the model's requests of one turn in order. ``start()`` begins the first;
``receive()`` takes what happens on the wire and gives what the client makes of it: client events,
messages to the user, and the action that follows; after ``RunTools`` comes ``follow_up()``.
``PHASES`` is the whole lifecycle as a table. Source: document 002 §1 to §6, and the dialects.

The invariants that tests keep: one ``Completed`` at most for each request, one fallback at most
for each session, and no more attempts than the budgets allow.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Any

from wiretape.client.actions import (
    Action,
    Ask,
    Fail,
    Finish,
    Post,
    Printed,
    PrintedKind,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.config import Config
from wiretape.client.decoding import Ignored
from wiretape.client.dialect import Dialect, Prewarm
from wiretape.client.events import ClientEvent, Completed, OutputItemDone
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure
from wiretape.client.heads import head_events, turn_state
from wiretape.client.retry import Budget, FallBack, GiveUp, TryAgain, backoff_ms, decide
from wiretape.client.session import Session
from wiretape.client.statuses import refusal
from wiretape.client.streams import ResponseStream
from wiretape.client.transport import Transport, choose
from wiretape.client.wire import (
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

type Output = ClientEvent | Ignored | Printed | Action

UNSENT = "error sending request"
TOOL_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})


class Phase(StrEnum):
    """Where a turn stands."""

    NEW = "new"
    PREWARMING = "prewarming"
    """The first socket of a session is being opened, ahead of any request."""
    WARMING_UP = "warming up"
    UPGRADING = "upgrading"
    ON_WEBSOCKET = "on WebSocket"
    POSTING = "posting"
    ON_SSE = "on SSE"
    RESTING = "resting"
    """An answer has come and tools are being run."""
    OVER = "over"


class Turn:
    """One turn of a session. ``jitter`` gives a number from 0.9 to 1.1 for each backoff."""

    def __init__(
        self,
        config: Config,
        dialect: Dialect,
        session: Session,
        *,
        jitter: Callable[[], float] = lambda: 1.0,
    ) -> None:
        self.phase = Phase.NEW
        self.turn_state: str | None = None
        self._provider = config.provider
        self._dialect = dialect
        self._session = session
        self._jitter = jitter
        self._can_use_websocket = config.is_websocket_configured(dialect)
        self._stream = ResponseStream(Transport.SSE, dialect)
        self._budget = Budget(self._provider.stream_max_retries)
        self._post_retries = 0
        self._calls_tools = False

    def start(self) -> list[Output]:
        """The first action."""
        if self.phase is not Phase.NEW:
            raise ValueError(f"a turn that is {self.phase} cannot start")
        is_first, self._session.is_new = self._session.is_new, False
        if is_first and self._transport() is Transport.WEBSOCKET:
            self.phase = Phase.PREWARMING
            return [Upgrade()]
        return self._ask_anew()

    def follow_up(self) -> list[Output]:
        """The next request of the turn, with budgets of its own."""
        if self.phase is not Phase.RESTING:
            raise ValueError(f"a turn that is {self.phase} has no follow-up")
        self._budget = Budget(self._provider.stream_max_retries)
        return self._ask_anew()

    def receive(self, happening: Input) -> list[Output]:
        """What follows from it. ``ValueError`` for what cannot happen in this phase."""
        reaction = PHASES[self.phase].get(type(happening))
        if reaction is None:
            raise ValueError(f"{happening} while {self.phase}")
        return reaction(self, happening)

    def _transport(self) -> Transport:
        switch = self._session.switch
        return choose(is_websocket_configured=self._can_use_websocket, switch=switch)

    def _ask_anew(self) -> list[Output]:
        """The first try at a request, on a socket that may have gone meanwhile."""
        idle_end, self._session.idle_end = self._session.idle_end, None
        return self._attempt() if idle_end is None else self._fail(idle_end)

    def _attempt(self, delay_ms: int = 0) -> list[Output]:
        """Another try at the request, from the beginning."""
        self._post_retries = 0
        self._calls_tools = False
        if self._transport() is Transport.SSE:
            return self._post(delay_ms)
        if self._session.socket_head is not None:
            return self._ask(self._session.socket_head)
        self.phase = Phase.UPGRADING
        return [Upgrade(delay_ms)]

    def _post(self, delay_ms: int) -> list[Output]:
        self.phase = Phase.POSTING
        return [Post(delay_ms)]

    def _ask(self, head: tuple[ClientEvent, ...]) -> list[Output]:
        """Each answer on a socket begins with what its handshake said (§4.2)."""
        self.phase = Phase.ON_WEBSOCKET
        self._stream = ResponseStream(Transport.WEBSOCKET, self._dialect)
        return [Ask(), *head]

    def _open_socket(self, opened: Opened) -> tuple[ClientEvent, ...]:
        if self._dialect.upgrade_sets_turn_state:
            self._set_turn_state(opened)
        head = head_events(opened.headers, Transport.WEBSOCKET)
        self._session.socket_head = head
        return head

    def _set_turn_state(self, opened: Opened) -> None:
        """The first one of the turn stays (§3.1)."""
        if self.turn_state is None:
            self.turn_state = turn_state(opened.headers)

    def _fall_back_at_once(self) -> list[Output]:
        self._session.switch.activate()
        return self._post(0)

    def _fail(self, why: Failure) -> list[Output]:
        """What follows a failed attempt (§5.1, §5.2)."""
        self._session.socket_head = None
        decision = decide(
            why,
            self._budget,
            is_websocket_configured=self._can_use_websocket,
            switch=self._session.switch,
            dialect=self._dialect,
            jitter=self._jitter(),
        )
        match decision:
            case GiveUp():
                self.phase = Phase.OVER
                return [Fail(why.text)]
            case FallBack(delay_ms, budget, said):
                self._budget = budget
                return [Printed(PrintedKind.WARNING, said), *self._attempt(delay_ms)]
            case TryAgain(delay_ms, budget, said):
                self._budget = budget
                next_try = self._attempt(delay_ms)
                if said is None:
                    return next_try
                return [Printed(PrintedKind.ERROR, said, why.text), *next_try]

    # What happens in each phase.

    def _on_prewarmed(self, opened: Opened) -> list[Output]:
        head = self._open_socket(opened)
        if self._dialect.prewarm is Prewarm.CONNECT:
            return self._ask(head)
        self.phase = Phase.WARMING_UP
        self._stream = ResponseStream(Transport.WEBSOCKET, self._dialect)
        return [WarmUp()]

    def _on_prewarm_failed(self, happening: Input) -> list[Output]:
        match happening:
            case Refused(HTTPStatus.UPGRADE_REQUIRED) if self._dialect.prewarm is Prewarm.ASK:
                return self._fall_back_at_once()
            case _:
                return self._attempt()

    def _on_warm_up(self, happening: Input) -> list[Output]:
        match self._stream.receive(happening):
            case [Completed()] if self._session.socket_head is not None:
                return self._ask(self._session.socket_head)
            case [Failure()]:
                self._session.socket_head = self.turn_state = None
                return self._attempt()
            case _:
                return []

    def _on_upgraded(self, opened: Opened) -> list[Output]:
        return self._ask(self._open_socket(opened))

    def _on_upgrade_failed(self, happening: Input) -> list[Output]:
        match happening:
            case Refused(HTTPStatus.UPGRADE_REQUIRED):
                return self._fall_back_at_once()
            case Refused():
                url = self._provider.websocket_url
                return self._fail(refusal(happening, url, self._dialect))
            case Unreachable(reason) | Unanswered(reason):
                return self._fail(stream_failure(reason))
            case _:
                return self._fail(failure(FailureKind.TIMEOUT))

    def _on_posted(self, opened: Opened) -> list[Output]:
        self._set_turn_state(opened)
        self.phase = Phase.ON_SSE
        self._stream = ResponseStream(Transport.SSE, self._dialect)
        return list(head_events(opened.headers, Transport.SSE))

    def _on_post_failed(self, happening: Input) -> list[Output]:
        url, dialect = self._provider.post_url, self._dialect
        match happening:
            case Refused(status):
                why = refusal(happening, url, dialect)
                may_pass = status >= HTTPStatus.INTERNAL_SERVER_ERROR
                return self._post_again(why) if may_pass else self._fail(why)
            case Unreachable() if dialect.waits_for_network:
                return self._post_again(failure(FailureKind.CONNECTION, UNSENT))
            case _:
                address = f" for url ({url})" if dialect.names_unsent_url else ""
                return self._post_again(stream_failure(f"{UNSENT}{address}"))

    def _post_again(self, why: Failure) -> list[Output]:
        """Another try of the same POST, in silence, while its own budget lasts."""
        if self._post_retries >= self._provider.request_max_retries:
            return self._fail(why)
        self._post_retries += 1
        if why.requested_delay_ms is not None:
            return self._post(why.requested_delay_ms)
        return self._post(backoff_ms(self._post_retries, self._jitter()))

    def _on_stream(self, happening: Input) -> list[Output]:
        outputs: list[Output] = []
        for decoded in self._stream.receive(happening):
            if isinstance(decoded, Failure):
                return [*outputs, *self._fail(decoded)]
            outputs.append(decoded)
            match decoded:
                case OutputItemDone(item):
                    self._calls_tools |= item["type"] in TOOL_CALLS
                case Completed() if self._calls_tools:
                    self.phase = Phase.RESTING
                    outputs.append(RunTools())
                case Completed():
                    self.phase = Phase.OVER
                    if not self._dialect.keeps_socket:
                        self._session.socket_head = None
                    outputs.append(Finish())
        return outputs

    def _on_idle_end(self, happening: Input) -> list[Output]:
        """The socket goes while nothing is asked: noticed now, or with the next request."""
        [end] = ResponseStream(Transport.WEBSOCKET, self._dialect).receive(happening)
        if isinstance(end, Failure) and not self._dialect.notices_idle_close:
            self._session.idle_end = end
        self._session.socket_head = None
        return []


type _Reaction = Callable[[Turn, Any], list[Output]]

_NO_ANSWER: tuple[type[Input], ...] = (Refused, Unreachable, Unanswered)
_SOCKET_ENDS: tuple[type[Input], ...] = (Ended, Closed, Broken)
_SOCKET_INPUTS: tuple[type[Input], ...] = (Said, SaidBytes, Pinged, TimedOut, *_SOCKET_ENDS)

PHASES: Mapping[Phase, Mapping[type[Input], _Reaction]] = {
    Phase.NEW: dict.fromkeys(_SOCKET_ENDS, Turn._on_idle_end),
    Phase.PREWARMING: {
        Opened: Turn._on_prewarmed,
        **dict.fromkeys((*_NO_ANSWER, TimedOut), Turn._on_prewarm_failed),
    },
    Phase.WARMING_UP: dict.fromkeys(_SOCKET_INPUTS, Turn._on_warm_up),
    Phase.UPGRADING: {
        Opened: Turn._on_upgraded,
        **dict.fromkeys((*_NO_ANSWER, TimedOut), Turn._on_upgrade_failed),
    },
    Phase.ON_WEBSOCKET: dict.fromkeys(_SOCKET_INPUTS, Turn._on_stream),
    Phase.POSTING: {
        Opened: Turn._on_posted,
        **dict.fromkeys(_NO_ANSWER, Turn._on_post_failed),
    },
    Phase.ON_SSE: dict.fromkeys((Said, Ended, Broken, TimedOut), Turn._on_stream),
    Phase.RESTING: dict.fromkeys(_SOCKET_ENDS, Turn._on_idle_end),
    Phase.OVER: {},
}
"""What a turn does about each input, by phase. What is not here cannot happen."""
