"""What the input of a request says: whose items it holds, what it answers, how it ends.

A request sends the whole conversation, or only what is new of it: a ``response.append``, or a
``response.create`` with a ``previous_response_id``. Either way its end tells what is asked for.
Only digests and the last few items are kept, so that a long conversation costs little.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import accumulate
from typing import Any, Final

from wiretape.asked import Asked, RequestKind
from wiretape.digests import digest
from wiretape.jsontext import string_at
from wiretape.likeness import AND_MORE
from wiretape.tools import Call, Output, calls_in, is_output, output_in

TAIL: Final = 32
"""So many items at the end of an input are kept: more than a client adds between two tries."""
_OPENING_CHARACTERS: Final = 100


class Maker(StrEnum):
    """Who made an item of a conversation."""

    CLIENT = "client"
    """The user, or the client in the user's or the developer's name."""
    MODEL = "model"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Entry:
    """One item. ``key`` is a digest of what it says, for an output its call id; ``item_id`` is
    what the server calls it, which one client sends and another does not."""

    maker: Maker
    key: str
    item_id: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class InputView:
    """An input, in so far as sessions are put together from it.

    ``is_whole``: it says the whole conversation itself. ``leaves_out``: as a script may, it says
    only some of what was asked, or nothing. ``opening`` is how the last message of the client
    begins. ``outputs`` are those at the end, where new ones stand; the last ``fresh`` of them come
    after everything that the model said. ``strays`` are the ids of all whose call is not in the
    same input. ``prefixes`` has a digest for the first item, the first two, and so on, where a
    view was asked for them.
    """

    is_whole: bool
    leaves_out: bool
    items: int
    tail: tuple[Entry, ...]
    holds_answers: bool
    opening: str
    outputs: tuple[Output, ...]
    fresh: int
    strays: tuple[str, ...]
    prefixes: array[int]

    @property
    def new_outputs(self) -> tuple[Output, ...]:
        """The ``fresh`` ones."""
        return self.outputs[len(self.outputs) - self.fresh :]

    @property
    def says_nothing(self) -> bool:
        """Whether anything may have been asked."""
        return self.leaves_out and not self.items

    @property
    def answers_tools(self) -> bool:
        """Whether what is asked for is to go on from what tools gave."""
        wanted = without_model(self.tail)
        return bool(wanted) and wanted[-1].maker is Maker.TOOL


def view_of(asked: Asked, *, with_prefixes: bool) -> InputView | None:
    """The view of what was asked; ``None`` where its body cannot be read."""
    is_bare = not asked.raw and asked.kind is not RequestKind.UPGRADE
    body = {AND_MORE: ""} if is_bare else asked.body
    if not isinstance(body, dict):
        return None
    said = asked.input_items
    leaves_out = said[:1] == [AND_MORE] or (AND_MORE in body and not _INPUTS & body.keys())
    items = said[1:] if said[:1] == [AND_MORE] else said
    makers = [maker_of(item) for item in items]
    called = {call_id for item in items for call_id in _called_in(item)}
    last_said = max((at for at, maker in enumerate(makers) if maker is Maker.MODEL), default=-1)
    fresh = tuple(_outputs(items[last_said + 1 :]))
    return InputView(
        is_whole=not (
            leaves_out
            or asked.kind is RequestKind.APPEND
            or body.get("previous_response_id")
            or body.get("conversation")
            or any(_type(item) in _STANDS_FOR_OTHERS for item in items)
        ),
        leaves_out=leaves_out,
        items=len(items),
        tail=tuple(map(_entry, items[-TAIL:], makers[-TAIL:])),
        holds_answers=any(maker is not Maker.CLIENT for maker in makers),
        opening=_opening(items, makers),
        outputs=(*_outputs(_round_before(items[: last_said + 1])), *fresh),
        fresh=len(fresh),
        strays=tuple(
            call_id
            for item, maker in zip(items, makers, strict=True)
            if maker is Maker.TOOL and (call_id := _call_id(item)) and call_id not in called
        ),
        prefixes=_prefixes(items) if with_prefixes else array("Q"),
    )


def calls_repeated(asked: Asked) -> Iterator[Call]:
    """The calls that an input holds: those of earlier answers, said again."""
    return (call for item in asked.input_items for call in calls_in(item))


def maker_of(item: Any) -> Maker:
    """Who made this item."""
    if is_output(item):
        return Maker.TOOL
    kind = _type(item)
    is_answer = isinstance(item, dict) and item.get("role") == "assistant"
    is_model = is_answer or kind.endswith("_call") or kind in _OF_THE_MODEL
    return Maker.MODEL if is_model else Maker.CLIENT


def said_by_user(item: Any) -> str:
    """The words of an item that is the user's; empty for any other."""
    if isinstance(item, str):
        return item
    if not isinstance(item, dict) or item.get("role") != "user":
        return ""
    content = item.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        part["text"]
        for part in parts
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def without_model(tail: Sequence[Entry]) -> Sequence[Entry]:
    """The entries up to the last one that the client or a tool made."""
    end = len(tail)
    while end and tail[end - 1].maker is Maker.MODEL:
        end -= 1
    return tail[:end]


def asks_for_the_same(after: InputView, before: InputView, called: frozenset[str]) -> bool:
    """Whether ``after`` asks for what ``before`` asked for, as another try at it does.

    ``called`` are the calls made in answer to ``before``. A client may carry on with what had
    come of an answer that broke off, and with what its tools gave for those calls.
    """
    tail = after.tail[: len(after.tail) - _carried(after, called)]
    wanted = without_model(before.tail)
    count = min(len(tail), len(wanted))
    return count > 0 and list(tail[-count:]) == list(wanted[-count:])


def carried_on(after: InputView, before: InputView, called: frozenset[str]) -> int:
    """How many items more than ``before``, which asked for the same, ``after`` carries on with."""
    return _carried(after, called) - (len(before.tail) - len(without_model(before.tail)))


def _carried(view: InputView, called: frozenset[str]) -> int:
    """How many items at the end are the model's, or outputs of these calls."""
    wanted = (each.maker is not Maker.MODEL and each.key not in called for each in view.tail[::-1])
    return next((count for count, is_wanted in enumerate(wanted) if is_wanted), len(view.tail))


_INPUTS: Final = frozenset({"input", "messages"})
_STANDS_FOR_OTHERS: Final = frozenset(
    {"item_reference", "compaction", "compaction_summary", "context_compaction"}
)
"""Items by which the server knows more than the input says."""
_OF_THE_MODEL: Final = _STANDS_FOR_OTHERS | {"reasoning", "mcp_approval_request"}
NOT_SAID: Final = frozenset({"id", "status", "internal_chat_message_metadata_passthrough"})
"""What an item carries beside what it says; a client leaves it out, or writes it anew."""


def _entry(item: Any, maker: Maker) -> Entry:
    if maker is Maker.TOOL:
        return Entry(maker, _call_id(item) or "")
    item_id = None
    if isinstance(item, dict):
        item_id = string_at(item, "id")
        item = {key: value for key, value in item.items() if key not in NOT_SAID}
    return Entry(maker, digest(item), item_id)


def _outputs(items: Sequence[Any]) -> Iterator[Output]:
    return (output for item in items if (output := output_in(item)) is not None)


def _round_before(items: Sequence[Any]) -> Sequence[Any]:
    """The calls and outputs of the last answer, whose other items may follow them: a client may
    put an output right after its call."""
    end = len(items)
    while end and maker_of(items[end - 1]) is Maker.MODEL and not _is_of_a_tool(items[end - 1]):
        end -= 1
    start = end
    while start and end - start < TAIL and _is_of_a_tool(items[start - 1]):
        start -= 1
    return items[start:end]


def _is_of_a_tool(item: Any) -> bool:
    return is_output(item) or any(True for _ in calls_in(item))


def _opening(items: Sequence[Any], makers: Sequence[Maker]) -> str:
    for item, maker in zip(reversed(items), reversed(makers), strict=True):
        if maker is Maker.CLIENT:
            content = item.get("content") if isinstance(item, dict) else item
            if isinstance(content, list):
                content = next((part.get("text") for part in content if isinstance(part, dict)), "")
            return content[:_OPENING_CHARACTERS] if isinstance(content, str) else ""
    return ""


def _type(item: Any) -> str:
    return string_at(item, "type") or "" if isinstance(item, dict) else ""


def _call_id(item: Any) -> str | None:
    return string_at(item, "call_id") or string_at(item, "tool_call_id")


def _called_in(item: Any) -> Iterator[str]:
    return (call.call_id for call in calls_in(item))


def _prefixes(items: Sequence[Any]) -> array[int]:
    chain = accumulate(items, lambda before, item: int(digest([before, item]), 16), initial=0)
    return array("Q", list(chain)[1:])
