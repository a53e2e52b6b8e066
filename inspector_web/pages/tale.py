"""What else did not go well in a session, besides what its headline tells."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from inspector_web.health import Tale, Tone

_MOST_REQUESTS: Final = 8


@dataclass(frozen=True, slots=True)
class TaleRow:
    """Requests that went the same way. ``more`` is how many are not among ``requests``."""

    requests: tuple[int, ...]
    more: int
    is_warm_up: bool
    steps: tuple[str, ...]
    tone: Tone


def tale_rows(tales: Iterable[Tale]) -> tuple[TaleRow, ...]:
    """A row for each way that requests went: what failed first, else in their order."""
    alike: dict[tuple[Tone, tuple[str, ...], bool], list[int]] = {}
    for tale in tales:
        alike.setdefault((tale.tone, tale.steps, tale.is_warm_up), []).append(tale.request)
    rows = [
        TaleRow(
            tuple(requests[:_MOST_REQUESTS]),
            len(requests[_MOST_REQUESTS:]),
            is_warm_up,
            steps,
            tone,
        )
        for (tone, steps, is_warm_up), requests in alike.items()
    ]
    return tuple(sorted(rows, key=lambda row: row.tone is not Tone.BAD))
