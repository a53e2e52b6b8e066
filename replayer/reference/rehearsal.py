"""The client run on a recording in place of sockets: what it sees and does, step by step.

Everything comes from the recorded facts, in recorded order. The course ends where the recording
ends, or where the recorded client did something that the documented one would not have done.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from replayer.reference.acts import Act, ActKind
from replayer.reference.client import ReferenceClient
from replayer.reference.conversation import is_output
from replayer.reference.recorded import RecordedSession
from replayer.reference.recorded_wire import Progress, RecordedWire, wish_of
from replayer.reference.remembered import Memory, recorded_request
from replayer.reference.steps import Course, Diverges, RecordingOver, Step
from replayer.reference.user import Identity, Prompt, User
from wiretape.client.config import Config
from wiretape.client.dialect import Dialect, Prewarm
from wiretape.client.events import Item
from wiretape.client.requests import Request
from wiretape.client.turn import Output

_ENDED: Final = "has ended its turn"


async def rehearse(session: RecordedSession, config: Config, dialect: Dialect) -> Course:
    """The course of the client, configured so, on a recorded session."""
    course = Course()
    progress = Progress(session, course)

    def watch(output: Output) -> None:
        course.steps.append(Step(output, progress.place))

    client = ReferenceClient(
        config,
        dialect,
        Identity(),
        RecordedUser(progress, dialect),
        RecordedWire(progress),
        watch,
    )
    try:
        await client.run()
    except RecordingOver as over:
        course.cut = str(over)
    except Diverges as found:
        course.divergence = found.divergence
    return course


class RecordedUser(Memory, User):
    """Asks what was recorded, turn by turn."""

    def __init__(self, progress: Progress, dialect: Dialect) -> None:
        super().__init__(act.asked for act in progress.session.acts)
        self._progress = progress
        self._dialect = dialect

    def next_prompt(self, said: Sequence[Item]) -> Prompt | None:
        """What the recorded client was asked next. ``Diverges`` where it went on by itself."""
        ahead = self._progress.ahead
        if not ahead:
            return None
        leading = list(takewhile(lambda act: not act.is_request, ahead))
        warm_up = next((each for each in leading if each.kind is ActKind.WARM_UP), None)
        act = next((act for act in ahead if act.is_request), warm_up or ahead[0])
        warmed_by = [] if warm_up is None else warm_up.asked.input_items
        before: Sequence[Item] = ()
        if act.asked.says_only_what_is_new:
            before = said if warm_up is None else warmed_by
        request = recorded_request(
            act.asked, (*before, *act.asked.input_items), self._progress.session.id or ""
        )
        if self._progress.behind and act.is_request:
            self._check_is_new(act, request, said)
        # The recorded body of a warm-up differs from the request's in passing things, and a
        # client that took them for changes would say everything again.
        prompt = Prompt(
            request,
            warm_up=replace(request, input=tuple(warmed_by)),
            begins=self._begins(has_warm_up=warm_up is not None),
        )
        self._progress.course.prompts.append(prompt)
        return prompt

    def _check_is_new(self, act: Act, request: Request, said: Sequence[Item]) -> None:
        wish = wish_of(act.asked)
        if wish is not None and is_output(wish):
            raise Diverges(act.place, f"{act.kind.value} with what tools gave", _ENDED)
        last = next((each for each in reversed(self._progress.behind) if each.is_request), None)
        is_same = last is not None and wish == wish_of(last.asked)
        if is_same and len(request.input) <= len(said):
            raise Diverges(act.place, f"{act.kind.value} for the same again", _ENDED)

    def _begins(self, *, has_warm_up: bool) -> bool:
        """Whether a client has just started, as far as the recording shows."""
        behind, ahead = self._progress.behind, self._progress.ahead
        if behind:
            # The fallback is for good: only a new client opens a WebSocket after it.
            has_fallen_back = behind[-1].kind is ActKind.POST
            return has_warm_up or (has_fallen_back and ahead[0].kind is ActKind.UPGRADE)
        asks_at_once = [act.kind for act in ahead[:2]] == [ActKind.UPGRADE, ActKind.ASK]
        return not (asks_at_once and self._dialect.prewarm is Prewarm.ASK)
