"""Compares what a client asks with what it asked in the recording.

Ids need not be equal, but must correspond: where the recording had the id A, the replay may have
the id B, and then has B everywhere. So a client that answers the wrong call is found out.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any, Final
from urllib.parse import parse_qsl

from wiretape.asked import Asked
from wiretape.digests import digest
from wiretape.facts import Headers
from wiretape.ignoring import Ignored
from wiretape.item_places import item_places
from wiretape.redact import is_secret_header
from wiretape.volatile import (
    TEXT_RULES,
    VOLATILE_HEADERS,
    VOLATILE_KEYS,
    VOLATILE_PATHS,
    VOLATILE_QUERY,
)

UUID: Final = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])",
    re.IGNORECASE,
)
_MOST_DEPTH: Final = 100
_SHORT: Final = 200
_MISSING: Final = object()

AND_MORE: Final = "..."
"""A member by which an object in a script says that others may stand beside its own; as the first
of a list, it says that others may stand before."""


class Change(StrEnum):
    """What became of something from the recording to the replay."""

    CHANGED = "changed"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a request is not as it was recorded.

    ``path`` is like ``input[2].content[0].text``, ``headers.openai-beta`` or ``query.limit``. An
    item that only one of two lists has is numbered as there, any other as in the longer of them
    (the replayed one, if they are as long). The values are JSON, whole; ``None`` too where there is
    nothing at that place, which ``change`` tells.
    """

    path: str
    change: Change
    recorded: Any
    replayed: Any


@dataclass(slots=True)
class Correspondence:
    """Which id of the replay stands for which id of the recording.

    ``pattern`` tells what is an id, wherever it stands in a text. Differences at the places that
    are ``ignored`` are none.
    """

    replayed_for: dict[str, str] = field(default_factory=dict)
    recorded_for: dict[str, str] = field(default_factory=dict)
    pattern: re.Pattern[str] = UUID
    ignored: Ignored = field(default_factory=Ignored)

    def copy(self) -> "Correspondence":
        copied = dict(self.replayed_for), dict(self.recorded_for)
        return Correspondence(*copied, self.pattern, self.ignored)

    def fresh(self) -> "Correspondence":
        """One by the same rules, in which nothing corresponds yet."""
        return Correspondence(pattern=self.pattern, ignored=self.ignored)

    def known(self) -> tuple[Mapping[str, str], Mapping[str, str]]:
        """What stands for an id that corresponds to another, in the recording and in the
        replay: the same for both."""
        return self.replayed_for, {each: each for each in self.recorded_for}

    def accepts(self, recorded: str, replayed: str) -> bool:
        """Whether the two ids may stand for each other; from then on they do."""
        if recorded not in self.replayed_for and replayed not in self.recorded_for:
            self.replayed_for[recorded] = replayed
            self.recorded_for[replayed] = recorded
        return self.replayed_for.get(recorded) == replayed


def differences(recorded: Asked, replayed: Asked, ids: Correspondence) -> Iterator[Difference]:
    """Where ``replayed`` is not as ``recorded``. Notes in ``ids`` what it takes to correspond.

    What the recording does not say, nothing can differ from: a script need not write out the
    headers of a request, nor its body.
    """
    named = [("query", _query(recorded.query), _query(replayed.query))]
    if _says_headers(recorded):
        named.insert(0, ("headers", _headers(recorded.headers), _headers(replayed.headers)))
    for what, left, right in named:
        for name in dict.fromkeys((*left, *right)):
            one, other = left.get(name, _MISSING), right.get(name, _MISSING)
            yield from _values(f"{what}.{name}", one, other, ids)
    if recorded.raw or recorded.body is not None:
        yield from _bodies(recorded, replayed, ids)


def value_differences(
    path: str, recorded: Any, replayed: Any, ids: Correspondence
) -> list[Difference]:
    """Where one JSON value, which stands at ``path``, is not as another. Notes in ``ids``."""
    try:
        return list(_values(path, recorded, replayed, ids))
    except _TooDeep:
        is_same = digest(recorded) == digest(replayed)
        return [] if is_same else [Difference(path, Change.CHANGED, None, None)]


def _says_headers(recorded: Asked) -> bool:
    """Whether there are headers that count, other than the one that makes a request a
    handshake. Those that name the session, or the client, may be said alone."""
    return any(name != "upgrade" for name in _headers(recorded.headers))


class _TooDeep(Exception):
    """A body is nested so deeply that it is compared as text. Stays inside this module."""


def _bodies(recorded: Asked, replayed: Asked, ids: Correspondence) -> list[Difference]:
    if recorded.body is not None and replayed.body is not None:
        with suppress(_TooDeep):
            return list(_values("", recorded.body, replayed.body, ids))
    if recorded.raw == replayed.raw or ids.ignored.holds("body"):
        return []
    left, right = (each.raw.decode("utf-8", "backslashreplace") for each in (recorded, replayed))
    return [Difference("body", Change.CHANGED, left, right)]


def _headers(headers: Headers) -> dict[str, str]:
    """The headers that count; several of a name are a list, as the standard has it."""
    lowered = ((name.lower(), value) for name, value in headers)
    return _joined(
        (name, value)
        for name, value in lowered
        if name not in VOLATILE_HEADERS and not is_secret_header(name)
    )


def _query(query: str) -> dict[str, str]:
    """The parameters that count."""
    pairs = parse_qsl(query, keep_blank_values=True)
    return _joined(pair for pair in pairs if pair[0] not in VOLATILE_QUERY)


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in pairs:
        values[name] = f"{values[name]}, {value}" if name in values else value
    return values


def _values(
    path: str, left: Any, right: Any, ids: Correspondence, depth: int = 0
) -> Iterator[Difference]:
    _check_depth(depth)
    if ids.ignored.holds(path):
        return
    if isinstance(left, dict) and isinstance(right, dict):
        for name in _compared(left, right):
            inner = f"{path}.{name}" if path else name
            if inner not in VOLATILE_PATHS and name not in VOLATILE_KEYS:
                one, other = left.get(name, _MISSING), right.get(name, _MISSING)
                yield from _values(inner, one, other, ids, depth + 1)
    elif isinstance(left, list) and isinstance(right, list):
        first, left, right = _counting(left, right)
        yield from _told_once(
            difference
            for number, one, other in _aligned(left, right, ids, depth + 1)
            for difference in _values(f"{path}[{first + number}]", one, other, ids, depth + 1)
        )
    elif not _are_same(left, right, ids, depth):
        change = Change.CHANGED
        if left is _MISSING or right is _MISSING:
            change = Change.ADDED if left is _MISSING else Change.REMOVED
        yield Difference(path, change, *(_told(value, depth) for value in (left, right)))


def _told_once(found: Iterable[Difference]) -> Iterator[Difference]:
    """The differences; where one item stands in the place of another, that is one and not two."""
    before: Difference | None = None
    for each in found:
        if before is not None and _change_places(before, each):
            gone, new = sorted((before, each), key=lambda one: one.change is Change.ADDED)
            yield Difference(each.path, Change.CHANGED, gone.recorded, new.replayed)
            before = None
            continue
        if before is not None:
            yield before
        before = each
    if before is not None:
        yield before


def _change_places(one: Difference, other: Difference) -> bool:
    changes = {one.change, other.change}
    return one.path == other.path and changes == {Change.ADDED, Change.REMOVED}


def _compared(left: dict[str, Any], right: dict[str, Any]) -> Iterator[str]:
    """The members of two objects that are to be compared: those of either, where the other does
    not say that others may stand beside its own."""
    for name in dict.fromkeys((*left, *right)):
        has_place = name in left or AND_MORE not in left, name in right or AND_MORE not in right
        if name != AND_MORE and all(has_place):
            yield name


def _counting(left: list[Any], right: list[Any]) -> tuple[int, list[Any], list[Any]]:
    """What is compared of two lists, and where in ``right`` that begins."""
    if left[:1] != [AND_MORE]:
        return 0, left, right
    first = max(0, len(right) - len(left) + 1)
    return first, left[1:], right[first:]


def _told(value: Any, depth: int) -> Any:
    """The value as it is told, which must not be nested too deeply either."""
    if value is _MISSING:
        return None
    level = [value]
    while level := [each for value in level for each in _inside(value)]:
        depth += 1
        _check_depth(depth)
    return value


def _inside(value: Any) -> Iterable[Any]:
    match value:
        case dict():
            return value.values()
        case list():
            return value
        case _:
            return ()


def _check_depth(depth: int) -> None:
    if depth > _MOST_DEPTH:
        raise _TooDeep


def _aligned(
    left: list[Any], right: list[Any], ids: Correspondence, depth: int
) -> Iterator[tuple[int, Any, Any]]:
    """The items to compare, pair by pair, each with its number; with holes for what only one of
    the lists has.

    What is the same, or of one name or kind, belongs together, so that an item put in, or left
    out, is one difference and not one for every item behind it.
    """
    is_left_longer = len(left) > len(right)
    plain, plain_too = (partial(_plain, ids=ids, known=known) for known in ids.known())
    places = item_places(
        (left, plain),
        (right, plain_too),
        lambda one, other: _are_same(one, other, ids.copy(), depth),
    )
    for one, other in places:
        number = one if other is None or (is_left_longer and one is not None) else other
        assert number is not None
        yield (
            number,
            _MISSING if one is None else left[one],
            _MISSING if other is None else right[other],
        )


def _plain(text: str, ids: Correspondence, known: Mapping[str, str]) -> str:
    """A text by which items are told, with what each known id corresponds to in its place."""
    return ids.pattern.sub(lambda found: known.get(found[0], ""), _ruled(text))


def _are_same(left: Any, right: Any, ids: Correspondence, depth: int) -> bool:
    """Whether two values have no difference. Notes in ``ids``, even where they have one."""
    _check_depth(depth)
    if isinstance(left, dict) and isinstance(right, dict):
        return all(
            _are_same(left.get(name, _MISSING), right.get(name, _MISSING), ids, depth + 1)
            for name in _compared(left, right)
            if name not in VOLATILE_KEYS
        )
    if isinstance(left, list) and isinstance(right, list):
        _, left, right = _counting(left, right)
        return len(left) == len(right) and all(
            _are_same(one, other, ids, depth + 1) for one, other in zip(left, right, strict=True)
        )
    if isinstance(left, str) and isinstance(right, str):
        return left == right or _texts_correspond(left, right, ids)
    return type(left) is type(right) and bool(left == right)


def _texts_correspond(left: str, right: str, ids: Correspondence) -> bool:
    left, right = _ruled(left), _ruled(right)
    if ids.pattern.split(left) != ids.pattern.split(right):
        return False
    pairs = zip(ids.pattern.findall(left), ids.pattern.findall(right), strict=True)
    return all(ids.accepts(one, other) for one, other in pairs)


def _ruled(text: str) -> str:
    """A text without what is volatile in it."""
    return _ruled_again(text) if len(text) <= _SHORT else _by_rules(text)


@lru_cache(maxsize=1024)
def _ruled_again(text: str) -> str:
    """The same for short texts: kinds and roles are said over and over."""
    return _by_rules(text)


def _by_rules(text: str) -> str:
    for rule in TEXT_RULES:
        text = rule.pattern.sub(rule.stand_in, text)
    return text
