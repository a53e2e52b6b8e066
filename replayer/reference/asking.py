"""What a client asks, held against what was recorded in its place.

That a request is written in another way is a difference. That it repeats something that the
recorded one does not is a disagreement about the answer before it: the recorded client was told
something else, or understood it otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from replayer.reference.conversation import call_id, is_output
from replayer.reference.remembered import saying
from replayer.reference.steps import Diverges, Step
from replayer.reference.words import brief
from wiretape.asked import Asked, RequestKind
from wiretape.client.events import Completed, Item, OutputItemDone
from wiretape.jsontext import JsonObject
from wiretape.likeness import Correspondence, differences

_LINK: Final = "previous_response_id"
_KINDS: Final = {"response.create": RequestKind.CREATE, "response.append": RequestKind.APPEND}


def asked_by(body: JsonObject) -> Asked:
    """What our client asks by a body, or by a message."""
    kind = _KINDS[body.get("type", "response.create")]
    if body.get("generate") is False:
        kind = RequestKind.WARM_UP
    return Asked(kind, None, (), body, b"")


def written_otherwise(recorded: Asked, ours: Asked, ids: Correspondence) -> int:
    """In how many places our request differs from the recorded one, headers and query aside."""
    return sum(1 for _ in differences(replace(recorded, headers=(), query=""), ours, ids))


def check_agreement(recorded: Asked, ours: Asked, steps: Sequence[Step]) -> None:
    """Raises ``Diverges``, at the event in question, for a disagreement about an answer.

    What was answered stands in ``steps``. Where the two leave out different things that were
    said before, nothing can be told.
    """
    if not isinstance(recorded.body, dict) or _leaves_out(recorded) != _leaves_out(ours):
        return
    link, our_link = recorded.body.get(_LINK), ours.body.get(_LINK)
    if link != our_link:
        for step in reversed(steps):
            if isinstance(step.output, Completed) and step.output.response_id == our_link:
                raise Diverges(step.place, _goes_on(link), _goes_on(our_link))
    items = [item for item in recorded.input_items if isinstance(item, dict)]
    repeated = {saying(item) for item in items} | {call_id(item) for item in items}
    for item in ours.input_items:
        name = call_id(item) if is_output(item) else saying(item)
        if name not in repeated:
            _disagree(item, steps)


def _disagree(ours: Item, steps: Sequence[Step]) -> None:
    """Raises ``Diverges`` at the event that gave ``ours``, if it was one."""
    for step in reversed(steps):
        if isinstance(step.output, OutputItemDone) and _stems_from(ours, step.output.item):
            repeats = brief(f"repeats {saying(step.output.item)}")
            raise Diverges(step.place, "the next request does not repeat it", repeats)


def _stems_from(ours: Item, answered: Item) -> bool:
    if is_output(ours):
        return call_id(answered) == ours["call_id"] and not is_output(answered)
    return saying(answered) == saying(ours)


def _leaves_out(asked: Asked) -> tuple[RequestKind, bool]:
    """What of the conversation it leaves out because it was said before."""
    return asked.kind, asked.says_only_what_is_new


def _goes_on(response_id: object) -> str:
    return f"the next request goes on from {response_id}"
