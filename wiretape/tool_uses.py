"""Tool calls paired with what the tools gave, across the requests and sessions of a tape.

A call stands in the answer to one request, its output in the input of a later one, often of
another socket or transport, and after a fork of another session. Only first sightings are kept:
an input that repeats the whole conversation repeats all of its outputs.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.attempts import Observed
from wiretape.crossings import HTTP_REQUEST
from wiretape.reasons import ITEM_DONE
from wiretape.spot import Spot
from wiretape.threads import Thread
from wiretape.tools import Call, Output


@dataclass(frozen=True, slots=True)
class CallSeen:
    """A call in an answer. ``beside`` counts the other calls of the same answer."""

    call: Call
    spot: Spot
    beside: int


@dataclass(frozen=True, slots=True)
class OutputSeen:
    """An output where it was first sent."""

    output: Output
    spot: Spot


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call id: the calls that were made by it, and the different outputs that were sent.

    Usually one of each. ``call`` is ``None`` where the tape holds none: the recording began
    later, or the client made the output up. ``sent_without_call`` is a request whose input is the
    whole conversation and holds the output without its call. ``most_in_one_input`` counts how
    often one input held the output as something new.
    """

    call_id: str
    call: Call | None
    calls: tuple[CallSeen, ...]
    outputs: tuple[OutputSeen, ...]
    sent_without_call: Spot | None
    most_in_one_input: int

    @property
    def took_us(self) -> int | None:
        """From the call to its output as both crossed the wire; ``None`` without either."""
        if not self.calls or not self.outputs:
            return None
        return self.outputs[0].spot.at_us - self.calls[0].spot.at_us

    @property
    def failure(self) -> str | None:
        """How the tool failed, where its last output shows that it did."""
        return self.outputs[-1].output.failure if self.outputs else None


@dataclass(slots=True)
class _Use:
    calls: list[CallSeen] = field(default_factory=list)
    outputs: dict[str, OutputSeen] = field(default_factory=dict)
    sent_without_call: Spot | None = None
    most_in_one_input: int = 0


class ToolLedger:
    """Pairs calls and outputs. Takes each attempt once, by time; ``uses()`` is asked at the end."""

    def __init__(self) -> None:
        self._uses: dict[Thread, dict[str, _Use]] = {}
        self._of_call: dict[str, list[_Use]] = {}
        self._repeated: dict[str, Call] = {}

    def repeat(self, seen: Observed) -> None:
        """Takes the calls that an input repeats: they name what was called before the tape."""
        for call in seen.repeated:
            self._repeated.setdefault(call.call_id, call)

    def take(self, thread: Thread, seen: Observed) -> None:
        """Takes the calls of an answer, and the outputs of an input."""
        attempt, view = seen.attempt, seen.input
        for made in seen.calls:
            spot = Spot(attempt.exchange, made.at_us, ITEM_DONE, attempt.message)
            use = self._use(thread, made.call.call_id)
            use.calls.append(CallSeen(made.call, spot, len(seen.calls) - 1))
        if view is None:
            return
        asked = spot_of_asking(attempt)
        new = view.new_outputs
        counts = Counter(output.call_id for output in new)
        for output in view.outputs:
            use = self._use(thread, output.call_id)
            # What changes in the history was shortened by the client, not given again.
            if not use.outputs or output in new:
                use.outputs.setdefault(output.says, OutputSeen(output, asked))
            use.most_in_one_input = max(use.most_in_one_input, counts[output.call_id])
        for call_id in view.strays if view.is_whole else ():
            use = self._use(thread, call_id)
            use.sent_without_call = use.sent_without_call or asked

    def uses(self, thread: Thread) -> list[ToolUse]:
        """The tool uses of one session, by the time of their call or first output."""
        found = [self._whole(call_id, use) for call_id, use in self._uses.get(thread, {}).items()]
        return sorted(found, key=lambda use: _first_us((*use.calls, *use.outputs)))

    def _whole(self, call_id: str, use: _Use) -> ToolUse:
        calls = use.calls or self._elsewhere(call_id).calls
        outputs = use.outputs or self._elsewhere(call_id).outputs
        return ToolUse(
            call_id,
            calls[0].call if calls else self._repeated.get(call_id),
            tuple(calls),
            tuple(outputs.values()),
            use.sent_without_call,
            use.most_in_one_input,
        )

    def _use(self, thread: Thread, call_id: str) -> _Use:
        uses = self._uses.setdefault(thread, {})
        if call_id not in uses:
            uses[call_id] = _Use()
            self._of_call.setdefault(call_id, []).append(uses[call_id])
        return uses[call_id]

    def _elsewhere(self, call_id: str) -> _Use:
        """What other sessions know of the call: a fork answers what was called before it."""
        known = self._of_call[call_id]
        return _Use(
            calls=next((use.calls for use in known if use.calls), []),
            outputs=next((use.outputs for use in known if use.outputs), {}),
        )


def spot_of_asking(attempt: Attempt) -> Spot:
    """Where the tape shows what an attempt asked."""
    if attempt.message is None:
        return Spot(attempt.exchange, attempt.at_us, HTTP_REQUEST)
    is_append = attempt.kind is RequestKind.APPEND
    event = "response.append" if is_append else "response.create"
    return Spot(attempt.exchange, attempt.at_us, event, attempt.message)


def _first_us(seen: Iterable[CallSeen | OutputSeen]) -> int:
    return min((each.spot.at_us for each in seen), default=0)
