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
from wiretape.client.requests import Request, SocketRequests, session_headers
from wiretape.client.transport import FallbackSwitch
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
        switch = FallbackSwitch()
        said: tuple[Item, ...] = ()
        try:
            while (prompt := self.user.next_prompt(said)) is not None:
                if prompt.begins:
                    switch = FallbackSwitch()
                turn = _TurnTaken(self, prompt, switch)
                ended_well = await turn.take()
                said = turn.said
        finally:
            await self.wire.close()
        return ended_well


class _TurnTaken:
    """One turn, under way."""

    def __init__(self, client: ReferenceClient, prompt: Prompt, switch: FallbackSwitch) -> None:
        self._user = client.user
        self._wire = client.wire
        self._watch = client.watch
        self._dialect = client.dialect
        self._identity = client.identity
        self._turn = Turn(client.config, client.dialect, switch, is_first=prompt.begins)
        self._prompt = prompt
        self._request: Request = prompt.request
        self._on_socket = SocketRequests(client.dialect)
        self._answer: list[Item] = []
        self._warms_up = False
        self._last_type: str | None = None

    @property
    def said(self) -> tuple[Item, ...]:
        """The conversation, the last answer included."""
        return (*self._request.input, *self._repeated())

    async def take(self) -> bool:
        """Takes the turn to its end; whether it ended well."""
        rounds = 1
        outputs = self._turn.start()
        while True:
            match self._take_in(outputs):
                case Finish():
                    return True
                case Fail():
                    return False
                case RunTools() if rounds == MOST_ROUNDS:
                    self._watch(Fail(TOO_MANY_ROUNDS))
                    return False
                case RunTools():
                    rounds += 1
                    outputs = await self._run_tools()
                case action:
                    outputs = await self._perform(action)

    def _take_in(self, outputs: Iterable[Output]) -> Action | None:
        """Shows and notes what came of something; the action that is wanted, if any."""
        wanted: Action | None = None
        for output in outputs:
            self._watch(output)
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
            case WarmUp():
                self._warms_up = True
                await self._wire.send(self._on_socket.warm_up(self._prompt.warm_up))
                return []
            case Ask():
                self._warms_up = False
                self._answer = []
                await self._wire.send(self._on_socket.ask(self._request))
                return []
            case Post(delay_ms):
                self._answer = []
                headers, body = self._headers(is_upgrade=False), self._request.body()
                return self._turn.receive(await self._wire.post(headers, body, delay_ms))
            case _:
                happening = await self._wire.receive()
                self._note(happening)
                return self._turn.receive(happening)

    async def _run_tools(self) -> list[Output]:
        calls = [item for item in self._answer if item["type"] in TOOL_CALLS]
        outputs = [self._user.output_of(call) for call in calls]
        self._request = replace(self._request, input=(*self.said, *outputs))
        self._answer = []
        socket_end = await self._wire.rest()
        if socket_end is not None:
            self._take_in(self._turn.receive(socket_end))
        return self._turn.follow_up()

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
        own = self._identity.upgrade if is_upgrade else self._identity.post
        return own + session_headers(
            self._request.conversation_id,
            self._turn.turn_state,
            self._dialect,
            is_upgrade=is_upgrade,
        )
