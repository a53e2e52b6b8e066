"""Which items of two lists belong together: the same ones, or of one name, or of one kind.

Texts are compared as ``plain`` makes them, for each list its own way: without what differs and
means nothing.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from wiretape.alignment import Keys, Places, aligned, moved
from wiretape.volatile import VOLATILE_KEYS

type Plain = Callable[[str], str]
"""Makes two texts equal that are as good as equal."""

_NAMES: Final = ("type", "role", "name", "call_id", "tool_call_id")
"""Members that say which one an item is, its kind first."""

_MOST_DEPTH: Final = 100
"""What is nested more deeply is all one."""


def item_places(
    recorded: tuple[Sequence[Any], Plain],
    replayed: tuple[Sequence[Any], Plain],
    are_same: Callable[[Any, Any], bool],
) -> Iterator[Places]:
    """The places of two lists, those together that belong together.

    Lists that are as long as each other are taken place by place, unless two items in the same
    place cannot be one. Else what is the same at both ends is settled by ``are_same``, and only
    between them items are looked for.
    """
    (left, plain), (right, plain_too) = recorded, replayed
    if len(left) == len(right) and all(
        _may_be_one(one, other, plain, plain_too) for one, other in zip(left, right, strict=True)
    ):
        yield from ((at, at) for at in range(len(left)))
        return
    shorter = min(len(left), len(right))
    ahead = behind = 0
    while ahead < shorter and are_same(left[ahead], right[ahead]):
        ahead += 1
    while behind < shorter - ahead and are_same(left[-1 - behind], right[-1 - behind]):
        behind += 1
    yield from ((at, at) for at in range(ahead))
    keys = [_keys_of(item, plain) for item in left[ahead : len(left) - behind]]
    keys_too = [_keys_of(item, plain_too) for item in right[ahead : len(right) - behind]]
    yield from (moved(places, ahead, ahead) for places in _same_either_way(keys, keys_too))
    yield from ((len(left) - at, len(right) - at) for at in range(behind, 0, -1))


def _same_either_way(left: Sequence[Keys], right: Sequence[Keys]) -> Iterator[Places]:
    """:func:`aligned`, which may find other places the other way round: the longer one is first."""
    if len(left) > len(right):
        yield from aligned(left, right)
    else:
        yield from ((one, other) for other, one in aligned(right, left))


def _may_be_one(one: Any, other: Any, plain: Plain, plain_too: Plain) -> bool:
    """Whether nothing tells that two items are not the same one: where only one says what it is
    called, they may be."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return True
    return all(
        said is None or said_too is None or said == said_too
        for said, said_too in zip(_names(one, plain), _names(other, plain_too), strict=True)
    )


def _keys_of(item: Any, plain: Plain) -> Keys:
    """All that it says; else which one it is; else its kind."""
    names = _names(item, plain)
    return _frozen(item, plain), names, names[0]


def _names(item: Any, plain: Plain) -> tuple[str | None, ...]:
    said = item if isinstance(item, dict) else {}
    texts = (said.get(name) for name in _NAMES)
    return tuple(plain(text) if isinstance(text, str) else None for text in texts)


def _frozen(value: Any, plain: Plain, depth: int = 0) -> Hashable:
    """A JSON value by which it is found, with its types: 1 is not true."""
    match value:
        case dict() | list() if depth > _MOST_DEPTH:
            return None
        case dict():
            return frozenset(
                (name, _frozen(each, plain, depth + 1))
                for name, each in value.items()
                if name not in VOLATILE_KEYS
            )
        case list():
            return tuple(_frozen(each, plain, depth + 1) for each in value)
        case str():
            return plain(value)
    return type(value), value
