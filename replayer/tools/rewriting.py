"""The bend that lets tools print what they gave."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from replayer.bends.bodies import with_events, with_requests
from replayer.bends.telling import TellingBend
from replayer.chats.asked import SAID
from replayer.tools.calls import Rewritten
from replayer.tools.planning import Plan, call_id_of, planned
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.recording import Recording

_PARTS: Final = {
    "response.function_call_arguments.delta": ("delta", "arguments"),
    "response.function_call_arguments.done": ("arguments", "arguments"),
    "response.custom_tool_call_input.delta": ("delta", "input"),
    "response.custom_tool_call_input.done": ("input", "input"),
}
"""Events that say some of a call: the member that says it, and the item's member of which."""

_ASKED: Final = ("input", SAID)
"""Members of a request whose items may be calls."""


def tools_recorded(
    translate: TellingBend | None = None, *, is_asked_for: bool = False
) -> TellingBend:
    """The bend by which shell calls print what they gave when they were recorded, and do nothing.

    ``translate`` is done first; what tools gave may be found only in what it translates. A person
    who asked for it is told where there is no call.
    """

    def plan(recording: Recording) -> tuple[Recording, Plan]:
        bent = recording if translate is None else translate(recording)
        return bent, planned(bent, recording)

    def bend(recording: Recording) -> Recording:
        bent, found = plan(recording)
        return _rewritten(bent, found.changed)

    def tell(recording: Recording) -> Iterator[str]:
        if translate is not None:
            yield from translate.tell(recording)
        told = tuple(plan(recording)[1].sentences())
        yield from told or (("there is no tool call to rewrite",) if is_asked_for else ())

    return TellingBend(bend, tell)


def _rewritten(recording: Recording, changed: Mapping[str, Rewritten]) -> Recording:
    if not changed:
        return recording
    exchanges = []
    for exchange in recording.exchanges:
        told = with_events(exchange, _Answers(changed).event)
        exchanges.append(with_requests(told, lambda body: _request(body, changed)))
    return replace(recording, exchanges=tuple(exchanges))


def _request(body: JsonObject, changed: Mapping[str, Rewritten]) -> JsonObject:
    return {
        name: [_item(item, changed) for item in each]
        if name in _ASKED and isinstance(each, list)
        else each
        for name, each in body.items()
    }


def _item(item: Any, changed: Mapping[str, Rewritten]) -> Any:
    """An item with its call rewritten; an output has the call's id too, and stays."""
    new = changed.get(call_id_of(item) or "") if isinstance(item, dict) else None
    if new is None or not new.members.keys() <= item.keys():
        return item
    return {**item, **new.members}


class _Answers:
    """The answers of one exchange, event by event."""

    def __init__(self, changed: Mapping[str, Rewritten]) -> None:
        self._changed = changed
        self._of_item: dict[str, Rewritten] = {}
        self._said: set[str] = set()

    def event(self, text: str) -> str | None:
        """An event with the calls in it rewritten. Of the parts of a call the first says all."""
        event = parse_object(text)
        if isinstance(event, Unparsable):
            return text
        kind = event.get("type")
        new: JsonObject | None = event
        if kind in ("response.output_item.added", "response.output_item.done"):
            new = {**event, "item": self._whole(event)}
        elif kind in _PARTS:
            new = self._part(event, *_PARTS[str(kind)])
        elif isinstance(output := object_at(event, "response").get("output"), list):
            items = [_item(item, self._changed) for item in output]
            new = {**event, "response": {**event["response"], "output": items}}
        if new is None or new == event:
            return text if new is not None else None
        return json.dumps(new, ensure_ascii=False, separators=(",", ":"))

    def _whole(self, event: JsonObject) -> Any:
        item = event.get("item")
        if not isinstance(item, dict):
            return item
        item_id, call_id = string_at(item, "id"), call_id_of(item)
        if item_id and call_id and call_id in self._changed:
            self._of_item[item_id] = self._changed[call_id]
            self._said.discard(item_id)
        new = _item(item, self._changed)
        # What has only begun says nothing yet.
        return {key: each if item[key] else item[key] for key, each in new.items()}

    def _part(self, event: JsonObject, said: str, member: str) -> JsonObject | None:
        item_id = string_at(event, "item_id") or ""
        new = self._of_item.get(item_id)
        if new is None or member not in new.members:
            return event
        if said == "delta" and item_id in self._said:
            return None
        self._said.add(item_id)
        return {**event, said: new.members[member]}
