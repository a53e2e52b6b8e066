"""The wire that a recording stands for.

Each thing that the client does takes the next recorded act, which must be of the same kind; what
came of that act is what happens. Raises ``Diverges`` where the recorded client did something
else, and ``RecordingOver`` where the recording ends.
"""

from collections.abc import Iterator, Sequence
from typing import Final, override

from replayer.reference.acts import Act, ActKind, Place
from replayer.reference.asking import asked_by, check_agreement, written_otherwise
from replayer.reference.happenings import Happening, Left
from replayer.reference.recorded import RecordedSession
from replayer.reference.steps import Course, Diverges, RecordingOver
from replayer.reference.wires import Wire
from wiretape.asked import Asked
from wiretape.client.repeating import is_said_by_model
from wiretape.client.wire import Broken, Closed, Ended, Input, Opened, TimedOut
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject
from wiretape.likeness import Correspondence

IDLE_US: Final = 300_000_000
"""How long the client waits for a silent server unless it is told otherwise."""


class Progress:
    """How far a session has been gone through; what was seen and done goes into ``course``."""

    def __init__(self, session: RecordedSession, course: Course) -> None:
        self.session = session
        self.course = course
        self.place: Place = session.acts[0].place

    @property
    def ahead(self) -> Sequence[Act]:
        """The acts that are still to be done."""
        return self.session.acts[self.course.acts :]

    @property
    def behind(self) -> Sequence[Act]:
        """The acts that were done."""
        return self.session.acts[: self.course.acts]

    def take(self, kind: ActKind, socket: int | None = None) -> Act:
        """The next act, which is of this kind, and on this socket."""
        if not self.ahead and self.session.goes_on_unseen is not None:
            raise RecordingOver(self.session.goes_on_unseen)
        if not self.ahead:
            raise Diverges(self.place, "nothing more was recorded", kind.value)
        act = self.ahead[0]
        if act.kind is not kind or (socket is not None and act.exchange.id != socket):
            raise Diverges(act.place, act.kind.value, kind.value)
        self.course.acts += 1
        self.place = act.place
        return act


class RecordedWire(Wire):
    """What a session says came of each act."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._act = progress.session.acts[0]
        self._ids = Correspondence()
        self._coming: Iterator[Happening] = iter(())
        self._socket: Act | None = None
        self._idle_us = IDLE_US
        self._last_us = 0
        self._heard = 0

    @override
    async def upgrade(self, headers: Headers, delay_ms: int) -> Input:
        self._socket = self._begin(self._progress.take(ActKind.UPGRADE))
        what = await self.receive()
        if not isinstance(what, Opened):
            self._socket = None
        return what

    @override
    async def post(self, headers: Headers, body: JsonObject, delay_ms: int) -> Input:
        self._socket = None
        self._compare(self._begin(self._progress.take(ActKind.POST)), body)
        what = await self.receive()
        if isinstance(what, TimedOut):
            # The documented client waits for the head of an answer for ever.
            raise RecordingOver(self._left_words)
        return what

    async def send(self, message: JsonObject) -> None:
        assert self._socket is not None
        if self._socket.is_unused:
            # The socket was gone before the recorded client could ask on it.
            return
        kind = ActKind.WARM_UP if message.get("generate") is False else ActKind.ASK
        act = self._progress.take(kind, self._socket.exchange.id)
        self._compare(self._begin(act), message)

    async def receive(self) -> Input:
        happening = next(self._coming, None)
        if happening is None:
            act = self._progress.ahead[0]
            raise Diverges(act.place, act.kind.value, "waits for the end of the answer")
        silence_us = happening.at_us - self._last_us
        self._note(happening)
        if isinstance(happening.what, Left):
            return self._left(happening.what, silence_us)
        self._heard += 1
        return happening.what

    async def rest(self) -> Input | None:
        if self._socket is None:
            return None
        for happening in self._coming:
            self._note(happening)
            match happening.what:
                case Closed() | Broken() | Ended():
                    return happening.what
        return None

    async def close(self) -> None:
        """Nothing is open."""

    def _begin(self, act: Act) -> Act:
        self._act = act
        self._coming = self._progress.session.happenings(act)
        self._last_us = act.at_us
        self._heard = 0
        return act

    def _compare(self, act: Act, body: JsonObject) -> None:
        ours, course = asked_by(body), self._progress.course
        check_agreement(act.asked, ours, course.steps)
        course.differences += written_otherwise(act.asked, ours, self._ids)

    def _note(self, happening: Happening) -> None:
        act = self._act
        self._last_us = happening.at_us
        self._progress.place = Place(act.exchange.id, act.message, happening.event, happening.at_us)

    def _left(self, left: Left, silence_us: int) -> Input:
        """What it means that the client left: it had waited for too long, or was stopped.

        If it goes on to try again, it had waited for too long; and it would have each time that
        it waited as long.
        """
        if not left.by_client:
            raise RecordingOver("the recording stops")
        ahead = self._progress.ahead
        if not self._act.is_request and ahead:
            return TimedOut()
        following = next((act for act in ahead if act.is_request), None)
        if following is not None and wish_of(following.asked) == wish_of(self._act.asked):
            self._idle_us = min(self._idle_us, silence_us)
        if silence_us < self._idle_us:
            raise RecordingOver(self._left_words)
        return TimedOut()

    @property
    def _left_words(self) -> str:
        if self._act.is_unused:
            return "the recorded client left before it asked anything"
        where = "in the middle of an" if self._heard else "before any"
        return f"the recorded client hung up {where} answer"


def wish_of(asked: Asked) -> JsonObject | None:
    """The last thing in the input that the model did not say itself, without its id: by it tries
    at the same request are found. A client may repeat what it got of an answer that broke off."""
    for item in reversed(asked.input_items):
        if isinstance(item, dict) and not is_said_by_model(item):
            return {key: value for key, value in item.items() if key != "id"}
    return None
