"""What a run of the client will be, foretold by the model of it with a provider's script."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from codex_run import provider_config
from codex_talk import Task
from played_script import PlayedScript
from provider_script import Script
from request_words import request_words

from replayer.reference.conversation import output_item
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
from wiretape.client.config import Config, read_config
from wiretape.client.decoding import decode
from wiretape.client.dialect import Dialect
from wiretape.client.events import Completed, Item, OutputItemDone
from wiretape.client.history import History
from wiretape.client.requests import Request, SocketRequests
from wiretape.client.session import Session
from wiretape.client.turn import TOOL_CALLS, Output, Turn
from wiretape.client.wire import Broken, Closed, Input, Said
from wiretape.events import event_type
from wiretape.jsontext import JsonObject

PROMPT: Item = {"type": "message", "role": "user", "content": []}
SUMMARY: Item = {"type": "message", "role": "user", "content": ["what was compacted"]}
FOUND: Item = {"type": "message", "role": "assistant", "content": ["what a review found"]}


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a run will be, seen from both ends.

    ``asked`` is what the provider's ``summary`` will be. ``complaints`` are the errors and
    warnings that ``codex exec --json`` prints; ``messages`` what the agent says. ``said`` is each
    thing asked, in the words of ``request_words``.
    """

    asked: str
    complaints: tuple[str, ...]
    messages: tuple[str, ...]
    exit_code: int
    said: tuple[str, ...] = ()


def predict(
    script: Script | None,
    dialect: Dialect,
    *,
    base_url: str,
    transport: str,
    settings: Mapping[str, int],
    tasks: Sequence[Task] = (Task.TURN,),
    is_resumed: bool = False,
) -> Prediction:
    """What the client of this dialect does with a provider that plays the script.

    Without a script there is nobody at the provider's address. ``is_resumed``: for each task a
    new client goes on with the conversation.
    """
    config = read_config(provider_config(base_url, transport, settings))
    played = PlayedScript(script)
    talk = _Talk(config, dialect, played)
    ended_well = True
    for task in tasks:
        if is_resumed:
            talk.session = Session()
        match task:
            case Task.TURN:
                ended_well &= talk.take_turn(PROMPT)
            case Task.COMPACT:
                # It offers no tools: that much differs from the request before.
                ended_well &= talk.take_turn(PROMPT, model="compacts")
                talk.messages.pop()
                talk.history.begin([PROMPT, SUMMARY])
            case Task.REVIEW:
                review = _Talk(config, dialect, played, said=talk.said)
                ended_well &= review.take_turn(PROMPT)
                talk.messages += review.messages
                talk.history.remember([PROMPT, FOUND])
    return Prediction(
        " ".join(played.asked),
        tuple(talk.complaints),
        tuple(talk.messages),
        0 if ended_well else 1,
        tuple(talk.said),
    )


@dataclass(slots=True)
class _Talk:
    """A client and its conversation."""

    config: Config
    dialect: Dialect
    script: PlayedScript
    said: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    session: Session = field(default_factory=Session)
    history: History = field(init=False)
    _on_socket: SocketRequests = field(init=False)
    _turn: Turn = field(init=False)
    _request: Request = field(init=False)
    _answer: list[Item] = field(default_factory=list)
    _last_type: str | None = None
    _coming: list[Input] = field(default_factory=list)
    """What happens on the socket after the end of an answer."""

    def __post_init__(self) -> None:
        self.history = History(self.dialect)
        self._on_socket = SocketRequests(self.dialect)

    def take_turn(self, prompt: Item, model: str = "answers") -> bool:
        """A turn to its end; whether it ended well."""
        self._request = Request(model=model, instructions="", input=(), conversation_id="thread")
        self._turn = Turn(self.config, self.dialect, self.session)
        self.history.begin((*self.history.items, prompt))
        self._notice_end()
        action = self._take_in(self._turn.start())
        while action is not None:
            match action:
                case Finish() | Fail():
                    self._settle()
                    return isinstance(action, Finish)
                case RunTools():
                    self._settle()
                    self.history.go_on()
                    self._notice_end()
                    action = self._take_in(self._turn.follow_up())
                case _:
                    action = self._perform(action)
        raise ValueError(f"the script ends while the client is {self._turn.phase}")

    def _perform(self, action: Action) -> Action | None:
        """Does what the action wants, until another one is wanted."""
        self._ask(action)
        coming = self.script.happenings(action)
        wanted: Action | None = None
        for happening in coming:
            if isinstance(happening, Said):
                self._note_text(action, happening.text)
            wanted = self._take_in(self._turn.receive(happening)) or wanted
            if wanted is not None:
                break
        # What comes after the answer's end meets a client that rests, or nobody.
        self._coming = list(coming)
        return wanted

    def _notice_end(self) -> None:
        """The open socket may end while nothing is asked."""
        if self.session.socket_head is not None:
            for happening in self._coming:
                if isinstance(happening, Closed | Broken):
                    self._turn.receive(happening)
        self._coming = []

    def _ask(self, action: Action) -> None:
        """Writes down what is asked, and remembers what of it counts as said."""
        state = self._turn.turn_state
        match action:
            case Upgrade():
                self._on_socket = SocketRequests(self.dialect)
                self._note("upgrade", None, state)
            case WarmUp():
                warm_up = replace(self._request, input=())
                self._note("warm-up", self._on_socket.warm_up(warm_up), None)
            case Ask():
                self._note("websocket", self._on_socket.ask(self._tried()), None)
            case Post():
                self._note("sse", self._tried().body(), state)

    def _note(self, kind: str, body: JsonObject | None, state: str | None) -> None:
        if self.script.script is not None:
            self.said.append(request_words(kind, body, state))

    def _tried(self) -> Request:
        self._settle()
        return replace(self._request, input=self.history.tried())

    def _settle(self) -> None:
        outputs = [output_item(item, "") for item in self._answer if item["type"] in TOOL_CALLS]
        self.history.remember((*self._answer, *outputs))
        self._answer = []

    def _take_in(self, outputs: list[Output]) -> Action | None:
        wanted: Action | None = None
        for output in outputs:
            match output:
                case Printed():
                    self.complaints.append(output.line)
                case OutputItemDone(item):
                    self._answer.append(item)
                    self._note_message(item)
                case Completed(response_id):
                    is_done = self._last_type == "response.done"
                    self._on_socket.completed(response_id, self._answer, ended_with_done=is_done)
                case Fail(text):
                    self.complaints.append(text)
                    wanted = output
                case Ask() | Finish() | Post() | RunTools() | Upgrade() | WarmUp():
                    wanted = output
                case _:
                    pass
        return wanted

    def _note_text(self, action: Action, text: str) -> None:
        self._last_type = event_type(text)
        # The turn keeps the end of a warm-up to itself, but the next request refers to it.
        end = decode(text, self.dialect) if isinstance(action, WarmUp) else None
        if isinstance(end, Completed):
            self._on_socket.completed(end.response_id, ())

    def _note_message(self, item: Item) -> None:
        match item:
            case {"type": "message", "role": "assistant", "content": list(parts)}:
                self.messages.append("".join(part["text"] for part in parts))
