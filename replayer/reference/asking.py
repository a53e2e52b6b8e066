"""What a client asks, held against what was recorded in its place.

That a request is written in another way is a difference. That it repeats something that the
recorded one does not is a disagreement about the answer before it: the recorded client was told
something else, or understood it otherwise.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from replayer.likeness import Correspondence, differences
from replayer.reference.conversation import call_id, is_output
from replayer.reference.remembered import refers_to_what_was_said, saying
from replayer.reference.steps import Diverges, Step
from wiretape.asked import Asked, RequestKind
from wiretape.client.events import Completed, Item, OutputItemDone
from wiretape.jsontext import JsonObject

_LINK: Final = "previous_response_id"
_KINDS: Final = {"response.create": RequestKind.CREATE, "response.append": RequestKind.APPEND}


def asked_by(body: JsonObject) -> Asked:
    """What our client asks by a body, or by a message."""
    kind = _KINDS[body.get("type", "response.create")]
    if body.get("generate") is False:
        kind = RequestKind.WARM_UP
    return Asked(kind, None, (), body, b"")


def written_otherwise(recorded: Asked, ours: Asked, ids: Correspondence) -> int:
    """In how many places our request differs from the recorded one, their headers aside."""
    return sum(1 for _ in differences(replace(recorded, headers=()), ours, ids))


def check_agreement(recorded: Asked, ours: Asked, steps: Sequence[Step]) -> None:
    """Raises ``Diverges``, at the event in question, for a disagreement about an answer.

    What was answered stands in ``steps``. Where one of the two leaves out what was said before
    and the other does not, nothing can be told.
    """
    is_link = refers_to_what_was_said(ours)
    if not isinstance(recorded.body, dict) or refers_to_what_was_said(recorded) is not is_link:
        return
    for step in reversed(steps):
        match step.output:
            case Completed(response_id) if recorded.body.get(_LINK, response_id) != response_id:
                theirs = recorded.body[_LINK]
                raise Diverges(step.place, _goes_on(theirs), _goes_on(response_id))
            case Completed():
                break
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
            said = saying(step.output.item)
            raise Diverges(step.place, "the next request does not repeat it", f"repeats {said}")


def _stems_from(ours: Item, answered: Item) -> bool:
    if is_output(ours):
        return call_id(answered) == ours["call_id"] and not is_output(answered)
    return saying(answered) == saying(ours)


def _goes_on(response_id: str) -> str:
    return f"the next request goes on from {response_id or 'nothing'}"
