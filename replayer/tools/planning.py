"""Which calls on a tape are rewritten, and how."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from replayer.bends.bodies import request_bodies, told_events
from replayer.tools.calls import Rewritten, rewritten, tool_of
from replayer.tools.printed import texts
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.recording import Recording
from wiretape.tools import CALL_TYPES, is_output
from wiretape.words import counted

_NEVER_RAN: Final = ("failed to parse function arguments", "unsupported call", "unsupported custom")
"""Outputs of calls that no tool took: they come to nothing again."""

_SEVERAL: Final = "it gave more than one output"

_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class Plan:
    """``changed`` are the calls that are rewritten, and ``kept`` those that cannot be, by call id;
    ``tools`` names the tool of each."""

    changed: Mapping[str, Rewritten]
    kept: tuple[str, ...]
    tools: Mapping[str, str]

    def sentences(self) -> Iterator[str]:
        """What becomes of the calls, for a person."""
        if self.changed:
            yield f"calls that print what was recorded instead: {self._named(self.changed)}"
        if self.kept:
            yield f"calls that run, because they cannot be rewritten: {self._named(self.kept)}"
        doubtful: dict[str, list[str]] = defaultdict(list)
        for call, each in self.changed.items():
            if each.doubt is not None:
                doubtful[each.doubt].append(call)
        for doubt, calls in doubtful.items():
            yield f"what these calls give may differ, because {doubt}: {self._named(calls)}"

    def _named(self, calls: Mapping[str, Any] | list[str] | tuple[str, ...]) -> str:
        by_tool: dict[str, list[str]] = defaultdict(list)
        for call in calls:
            by_tool[self.tools[call]].append(call)
        return "; ".join(f"{tool} ({_listed(ids)})" for tool, ids in by_tool.items())


def planned(recording: Recording, asked: Recording | None = None) -> Plan:
    """What is to become of each call on a tape; one whose output was never sent is one too.

    ``asked`` is where to look for outputs, if not there: a recording may be translated, and then
    the outputs are where it came from.
    """
    calls: dict[str, JsonObject] = {}
    for item in _items(recording):
        call_id = call_id_of(item)
        if call_id is not None and item.get("type") in CALL_TYPES:
            calls.setdefault(call_id, item)
    outputs = _outputs(asked or recording)
    several = _with_several_outputs(asked or recording)
    changed: dict[str, Rewritten] = {}
    kept: list[str] = []
    for call_id, item in calls.items():
        output = outputs.get(call_id)
        if "".join(texts(output)).startswith(_NEVER_RAN):
            continue
        new = rewritten(item, output)
        if new is None:
            kept.append(call_id)
        else:
            changed[call_id] = replace(new, doubt=_SEVERAL) if call_id in several else new
    return Plan(changed, tuple(kept), {call: tool_of(item) for call, item in calls.items()})


def call_id_of(item: JsonObject) -> str | None:
    """By what a call and its output belong together; a local shell call may have its id only."""
    return string_at(item, "call_id") or (
        string_at(item, "id") if item.get("type") == "local_shell_call" else None
    )


def _outputs(recording: Recording) -> dict[str, Any]:
    """What each call gave when that was first sent; a chat's tool messages count as outputs."""
    found: dict[str, Any] = {}
    for item in _items(recording):
        call_id = string_at(item, "tool_call_id") or call_id_of(item)
        if call_id is not None and is_output(item):
            found.setdefault(call_id, item.get("output", item.get("content")))
    return found


def _with_several_outputs(recording: Recording) -> set[str | None]:
    """Calls of which one request says more than one output: a script may notify the model before
    it ends."""
    return {
        call_id
        for exchange in recording.exchanges
        for body in request_bodies(exchange)
        for call_id, times in Counter(map(call_id_of, filter(is_output, _said(body)))).items()
        if times > 1
    }


def _said(body: JsonObject) -> Iterator[JsonObject]:
    items = body.get("input", body.get("messages"))
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, dict))


def _items(recording: Recording) -> Iterator[JsonObject]:
    """Every item on a tape, as often as it stands there: whole ones of answers, and inputs."""
    for exchange in recording.exchanges:
        for text in told_events(exchange):
            if "output_item.done" in text and not isinstance(
                said := parse_object(text), Unparsable
            ):
                yield object_at(said, "item")
        for body in request_bodies(exchange):
            yield from _said(body)


def _listed(ids: list[str]) -> str:
    more = len(ids) - _SHOWN
    return ", ".join(ids[:_SHOWN]) + (f" and {counted(more, 'more call')}" if more > 0 else "")
