"""All that the model had when it answered a request: its instructions, its tools, its input."""

from dataclasses import dataclass
from typing import Any, Final

from inspector_web.conversation import said_in
from inspector_web.entries import Entry, with_context
from inspector_web.meant import Meant
from wiretape.jsontext import object_at, string_at

MOST_ENTRIES: Final = 200
_MOST_CHARACTERS: Final = 150_000
"""Of all entries together."""


@dataclass(frozen=True, slots=True)
class Had:
    """What a request meant, as people read it, however little of it was sent.

    ``tools`` are called by their names. Of the ``items`` of its input, ``entries`` tell all but the
    first ``left_out``, which a page has no room for. ``is_known``: what it goes on from is on the
    tape, too.
    """

    instructions: Entry | None
    tools: tuple[str, ...]
    entries: tuple[Entry, ...]
    items: int
    left_out: int
    is_known: bool


def had(meant: Meant) -> Had:
    """What the model had by it."""
    settings = meant.settings if isinstance(meant.settings, dict) else {}
    text = string_at(settings, "instructions")
    instructions = [Entry(each) for each in said_in({"role": "instructions", "content": text})]
    entries: list[Entry] = []
    told = characters = 0
    for item in reversed(meant.items):
        said = [Entry(each) for each in said_in(item)]
        characters += sum(len(each.said.text) + len(each.said.end) for each in said)
        if told and (characters > _MOST_CHARACTERS or len(entries) + len(said) > MOST_ENTRIES):
            break
        told += 1
        entries[:0] = said
    return Had(
        instructions[0] if text else None,
        tuple(map(_name_of, _listed(settings.get("tools")))),
        tuple(with_context(entries)),
        len(meant.items),
        len(meant.items) - told,
        meant.is_known,
    )


def _listed(tools: Any) -> list[Any]:
    return tools if isinstance(tools, list) else []


def _name_of(tool: Any) -> str:
    if not isinstance(tool, dict):
        return "a tool without a name"
    name = string_at(tool, "name") or string_at(object_at(tool, "function"), "name")
    return name or string_at(tool, "type") or "a tool without a name"
