"""Fragments of calls → whole calls.

A stream hands out a call in pieces, and servers differ in how they say which call a piece is of.
The order of trust: an ``id`` seen before, then the ``index``, then the call spoken of last (for a
piece with neither), then a new call.

Document 003 says that every piece carries the same ``index`` and that calls stand in its order;
this follows 000, which expects less of servers and hands calls up in the order of their first
piece. On a stream that keeps to 003 the two agree.

Source: document 000 §11.5.
"""

from dataclasses import dataclass, field

from wiretape.chat.items import Skipped, SkipReason, function_call_item
from wiretape.chat.shapes import field as json_field
from wiretape.chat.shapes import string, unsigned
from wiretape.client.events import Item


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as far as it was streamed; ``name`` is ``None`` where no piece gave one."""

    index: int
    call_id: str | None
    name: str | None
    arguments: str


def call_item(call: ToolCall) -> Item | Skipped:
    """The item for ``call``, whatever its kind was; none without a name (§11.5; 003 step 3).

    Its arguments stay as they are, JSON or not (003 note 3).
    """
    if call.name is None:
        return Skipped(SkipReason.NAMELESS_CALL, call.arguments)
    # Only a missing id gets a stand-in: an empty one is an id like any other.
    call_id = f"tool-call-{call.index}" if call.call_id is None else call.call_id
    return function_call_item(call.name, call.arguments, call_id)


@dataclass(slots=True)
class _Pieces:
    call_id: str | None = None
    name: str | None = None
    arguments: list[str] = field(default_factory=list)


class ToolCalls:
    """The calls of one stream. What the indices of ids are outlives a :meth:`take`."""

    def __init__(self) -> None:
        self._open: dict[int, _Pieces] = {}
        self._index_by_id: dict[str, int] = {}
        self._next_index = 0
        self._last_index: int | None = None

    def add(self, piece: object) -> None:
        """Add one entry of a ``delta.tool_calls`` (§11.5; 003 note 5), whatever it looks like."""
        call_id = string(piece, "id")
        index = self._index_of(unsigned(piece, "index"), call_id)
        pieces = self._open.setdefault(index, _Pieces())
        if call_id is not None:
            self._index_by_id[call_id] = index
            if pieces.call_id is None:
                pieces.call_id = call_id
        function = json_field(piece, "function")
        pieces.name = pieces.name or string(function, "name") or None
        pieces.arguments.append(string(function, "arguments") or "")
        self._last_index = index

    def open_calls(self) -> tuple[ToolCall, ...]:
        """The calls not taken yet, in the order of their first pieces."""
        return tuple(
            ToolCall(index, pieces.call_id, pieces.name, "".join(pieces.arguments))
            for index, pieces in self._open.items()
        )

    def take(self) -> tuple[ToolCall, ...]:
        """:meth:`open_calls`, which are then open no more."""
        calls = self.open_calls()
        self._open.clear()
        return calls

    def _index_of(self, index: int | None, call_id: str | None) -> int:
        """Which call a piece belongs to (§11.5.1, §11.5.2, §11.5.3, §11.5.4)."""
        if call_id is not None and call_id in self._index_by_id:
            return self._index_by_id[call_id]
        if index is not None:
            return index
        if call_id is None and self._last_index is not None:
            return self._last_index
        return self._new_index()

    def _new_index(self) -> int:
        while self._next_index in self._open:
            self._next_index += 1
        self._next_index += 1
        return self._next_index - 1
