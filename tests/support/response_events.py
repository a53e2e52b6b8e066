"""Events of a response, and the state that they add up to."""

import json
from typing import Any

from wiretape.events import parse_event
from wiretape.output import AnomalyKind
from wiretape.response import ResponseState, fold


def of(*raws: dict[str, Any] | str) -> ResponseState:
    """The response of events given as JSON objects or as text."""
    return fold(parse_event(raw if isinstance(raw, str) else json.dumps(raw)) for raw in raws)


def kinds(state: ResponseState) -> list[AnomalyKind]:
    """What is wrong with the response's events, in order."""
    return [anomaly.kind for anomaly in state.anomalies]


def lifecycle(phase: str, **response: Any) -> dict[str, Any]:
    """A lifecycle event, by default of one response."""
    return {"type": f"response.{phase}", "response": {"id": "resp_1", **response}}


def added(**item: Any) -> dict[str, Any]:
    """An item is added, by default a message at index 0."""
    item = {"id": "msg_1", "type": "message"} | item
    return {"type": "response.output_item.added", "output_index": 0, "item": item}


def done(**item: Any) -> dict[str, Any]:
    """An item is done, by default a message at index 0."""
    return added(**item) | {"type": "response.output_item.done"}


def delta(text: str, **fields: Any) -> dict[str, Any]:
    """More text, by default of the message ``msg_1``."""
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    return {"type": "response.output_text.delta", "delta": text, **place} | fields


def text_done(text: str, **fields: Any) -> dict[str, Any]:
    """The whole text, by default of the message ``msg_1``."""
    place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
    return {"type": "response.output_text.done", "text": text, **place} | fields


CREATED = lifecycle("created")
COMPLETED = lifecycle("completed")
EARLY, AGAIN, LATE = AnomalyKind.NOT_CREATED, AnomalyKind.CREATED_AGAIN, AnomalyKind.AFTER_END
