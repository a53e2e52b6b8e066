"""The documented client: performs what the model of it wants, and tells it what happens.

This shell decides nothing. A ``Turn`` says what to do; a ``Wire`` does it; what happens goes back
into the turn, and everything that comes out of it is shown to ``watch``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from replayer.reference.conversation import MOST_ROUNDS, TOO_MANY_ROUNDS
from replayer.reference.user import Identity, Prompt, User
from replayer.reference.wires import Wire
from wiretape.client.actions import (
    Action,
    Ask,
    Fail,
    Finish,
    Post,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.config import Config
from wiretape.client.decoding import decode
from wiretape.client.dialect import Dialect
from wiretape.client.events import Completed, Item, OutputItemDone
from wiretape.client.history import History
from wiretape.client.requests import Request, SocketRequests, session_headers
from wiretape.client.session import Session
from wiretape.client.turn import TOOL_CALLS, Output, Turn
from wiretape.client.wire import Input, Said
from wiretape.events import event_type
from wiretape.facts import Headers


@dataclass(frozen=True, slots=True)
class ReferenceClient:
    """A client in one conversation. ``watch`` is shown all that the client sees and does."""

    config: Config
    dialect: Dialect
    identity: Identity
    user: User
    wire: Wire
    watch: Callable[[Output], None]

    async def run(self) -> bool:
        """Takes every turn that the user wants. Whether the last one ended well."""
        ended_well = True
        talk = _Talk(self)
        try:
            while (prompt := self.user.next_prompt(talk.said)) is not None:
                ended_well = await talk.take_turn(prompt)
        finally:
            await self.wire.close()
        return ended_well


class _Talk:
    """The conversation, under way."""

    def __init__(self, client: ReferenceClient) -> None:
        self._client = client
        self._user = client.user
        self._wire = client.wire
        self._dialect = client.dialect
        self._session: Session | None = None
        self._history = History(client.dialect)
        self._on_socket = SocketRequests(client.dialect)
        self._answer: list[Item] = []
        self._warms_up = False
        self._last_type: str | None = None
        self._turn: Turn
        self._request: Request

    @property
    def said(self) -> tuple[Item, ...]:
        """The conversation so far."""
        return self._history.items

    async def take_turn(self, prompt: Prompt) -> bool:
        """Takes a turn to its end; whether it ended well."""
        if prompt.begins or self._session is None:
            self._session = Session(is_new=prompt.begins)
        self._turn = Turn(self._client.config, self._dialect, self._session)
        self._request = prompt.request
        self._history.begin(prompt.request.input)
        if self._session.socket_head is not None:
            await self._rest()
        ended_well = await self._go_through(self._turn.start(), prompt)
        self._settle()
        return ended_well

    async def _go_through(self, outputs: list[Output], prompt: Prompt) -> bool:
        rounds = 1
        while True:
            match self._take_in(outputs):
                case Finish():
                    return True
                case Fail():
                    return False
                case RunTools() if rounds == MOST_ROUNDS:
                    self._client.watch(Fail(TOO_MANY_ROUNDS))
                    return False
                case RunTools():
                    rounds += 1
                    outputs = await self._run_tools()
                case WarmUp():
                    self._warms_up = True
                    await self._wire.send(self._on_socket.warm_up(prompt.warm_up))
                    outputs = []
                case action:
                    outputs = await self._perform(action)

    def _take_in(self, outputs: Iterable[Output]) -> Action | None:
        """Shows and notes what came of something; the action that is wanted, if any."""
        wanted: Action | None = None
        for output in outputs:
            self._client.watch(output)
            match output:
                case OutputItemDone(item):
                    self._answer.append(item)
                case Completed(response_id):
                    self._note_end(response_id)
                case Upgrade() | WarmUp() | Ask() | Post() | RunTools() | Finish() | Fail():
                    wanted = output
        return wanted

    async def _perform(self, action: Action | None) -> list[Output]:
        """Does what is wanted, or else waits for what comes; what the turn makes of it."""
        match action:
            case Upgrade(delay_ms):
                self._on_socket = SocketRequests(self._dialect)
                headers = self._headers(is_upgrade=True)
                return self._turn.receive(await self._wire.upgrade(headers, delay_ms))
            case Ask():
                self._warms_up = False
                await self._wire.send(self._on_socket.ask(self._tried()))
                return []
            case Post(delay_ms):
                headers, body = self._headers(is_upgrade=False), self._tried().body()
                return self._turn.receive(await self._wire.post(headers, body, delay_ms))
            case _:
                happening = await self._wire.receive()
                self._note(happening)
                return self._turn.receive(happening)

    async def _run_tools(self) -> list[Output]:
        self._settle()
        self._history.go_on()
        await self._rest()
        return self._turn.follow_up()

    async def _rest(self) -> None:
        """Nothing is asked for a while, in which the socket may end."""
        socket_end = await self._wire.rest()
        if socket_end is not None:
            self._turn.receive(socket_end)

    def _settle(self) -> None:
        """The answer is over: what it said is remembered, and what its tools gave."""
        calls = [item for item in self._answer if item["type"] in TOOL_CALLS]
        outputs = [self._user.output_of(call) for call in calls]
        self._history.remember((*self._repeated(), *outputs))
        self._answer = []

    def _tried(self) -> Request:
        """The request as the next try at it asks."""
        self._settle()
        return replace(self._request, input=self._history.tried())

    def _note(self, happening: Input) -> None:
        if not isinstance(happening, Said):
            return
        self._last_type = event_type(happening.text)
        # The turn keeps the end of a warm-up to itself, but the next request refers to it.
        if self._warms_up and isinstance(end := decode(happening.text, self._dialect), Completed):
            self._on_socket.completed(end.response_id, ())

    def _note_end(self, response_id: str) -> None:
        self._on_socket.completed(
            response_id,
            self._repeated(),
            ended_with_done=self._last_type == "response.done",
        )

    def _repeated(self) -> list[Item]:
        spelled: list[Any] = [self._user.sent_back(item) for item in self._answer]
        return [item for item in spelled if item is not None]

    def _headers(self, *, is_upgrade: bool) -> Headers:
        identity = self._client.identity
        own = identity.upgrade if is_upgrade else identity.post
        return own + session_headers(
            self._request.conversation_id,
            self._turn.turn_state,
            self._dialect,
            is_upgrade=is_upgrade,
        )
