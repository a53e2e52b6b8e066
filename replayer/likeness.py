"""Compares what a client asks with what it asked in the recording.

Ids need not be equal, but must correspond: where the recording had the id A, the replay may have
the id B, and then has B everywhere. So a client that answers the wrong call is found out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from replayer.volatile import TEXT_RULES, VOLATILE_HEADERS, VOLATILE_KEYS, VOLATILE_PATHS
from wiretape.asked import Asked
from wiretape.facts import Headers
from wiretape.redact import is_secret_header

_UUID: Final = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])",
    re.IGNORECASE,
)
_SHOWN: Final = 200
_MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where a request is not as it was recorded.

    ``path`` is like ``input[2].content[0].text`` or ``headers.openai-beta``; the values are
    shortened for showing, ``None`` where there is nothing at that place.
    """

    path: str
    recorded: str | None
    replayed: str | None


@dataclass(slots=True)
class Correspondence:
    """Which id of the replay stands for which id of the recording."""

    replayed_for: dict[str, str] = field(default_factory=dict)
    recorded_for: dict[str, str] = field(default_factory=dict)

    def copy(self) -> "Correspondence":
        return Correspondence(dict(self.replayed_for), dict(self.recorded_for))

    def accepts(self, recorded: str, replayed: str) -> bool:
        """Whether the two ids may stand for each other; from then on they do."""
        if recorded not in self.replayed_for and replayed not in self.recorded_for:
            self.replayed_for[recorded] = replayed
            self.recorded_for[replayed] = recorded
        return self.replayed_for.get(recorded) == replayed


def differences(recorded: Asked, replayed: Asked, ids: Correspondence) -> Iterator[Difference]:
    """Where ``replayed`` is not as ``recorded``. Notes in ``ids`` what it takes to correspond."""
    yield from _headers(recorded.headers, replayed.headers, ids)
    if recorded.body is None or replayed.body is None:
        if recorded.raw != replayed.raw:
            yield Difference("body", _shown(recorded.raw), _shown(replayed.raw))
        return
    yield from _values("", recorded.body, replayed.body, ids)


def _headers(recorded: Headers, replayed: Headers, ids: Correspondence) -> Iterator[Difference]:
    left, right = _comparable(recorded), _comparable(replayed)
    for name in dict.fromkeys((*left, *right)):
        yield from _values(
            f"headers.{name}", left.get(name, _MISSING), right.get(name, _MISSING), ids
        )


def _comparable(headers: Headers) -> dict[str, str]:
    values: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        if key not in VOLATILE_HEADERS and not is_secret_header(key):
            values[key] = f"{values[key]}, {value}" if key in values else value
    return values


def _values(path: str, left: Any, right: Any, ids: Correspondence) -> Iterator[Difference]:
    if isinstance(left, dict) and isinstance(right, dict):
        for name in dict.fromkeys((*left, *right)):
            inner = f"{path}.{name}" if path else name
            if inner not in VOLATILE_PATHS and name not in VOLATILE_KEYS:
                yield from _values(inner, left.get(name, _MISSING), right.get(name, _MISSING), ids)
    elif isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(_aligned(left, right, ids)):
            yield from _values(f"{path}[{index}]", one, other, ids)
    elif isinstance(left, str) and isinstance(right, str):
        if left != right and not _texts_correspond(left, right, ids):
            yield Difference(path, *_around_first_difference(left, right))
    elif type(left) is not type(right) or left != right:
        yield Difference(path, _shown(left), _shown(right))


def _aligned(left: list[Any], right: list[Any], ids: Correspondence) -> Iterator[tuple[Any, Any]]:
    """The items to compare, pair by pair, with holes in the shorter list.

    Items that are the same at both ends belong together, so that one item put in, or left out,
    is one difference and not one for every item behind it.
    """
    shorter = min(len(left), len(right))
    ahead = behind = 0
    if len(left) != len(right):
        while ahead < shorter and _are_same(left[ahead], right[ahead], ids):
            ahead += 1
        while behind < shorter - ahead and _are_same(left[-1 - behind], right[-1 - behind], ids):
            behind += 1
    return zip(
        _with_hole(left, shorter - behind, len(right)),
        _with_hole(right, shorter - behind, len(left)),
        strict=True,
    )


def _with_hole(items: list[Any], at: int, length: int) -> list[Any]:
    """``items``, of which there should be ``length`` at least: the rest is missing at ``at``."""
    return [*items[:at], *[_MISSING] * (length - len(items)), *items[at:]]


def _are_same(left: Any, right: Any, ids: Correspondence) -> bool:
    return next(_values("", left, right, ids.copy()), None) is None


def _texts_correspond(left: str, right: str, ids: Correspondence) -> bool:
    for rule in TEXT_RULES:
        left = rule.pattern.sub(rule.stand_in, left)
        right = rule.pattern.sub(rule.stand_in, right)
    if _UUID.split(left) != _UUID.split(right):
        return False
    pairs = zip(_UUID.findall(left), _UUID.findall(right), strict=True)
    return all(ids.accepts(one, other) for one, other in pairs)


def _around_first_difference(left: str, right: str) -> tuple[str, str]:
    """The two texts, cut to where they part."""
    start = next(
        (
            index
            for index, (one, other) in enumerate(zip(left, right, strict=False))
            if one != other
        ),
        min(len(left), len(right)),
    )
    start = max(0, start - _SHOWN // 4)
    lead = "…" if start else ""
    return lead + left[start : start + _SHOWN], lead + right[start : start + _SHOWN]


def _shown(value: Any) -> str | None:
    if value is _MISSING:
        return None
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
