"""The table of situations replayed in depth: gathered by the tests, printed by their summary."""

from collections.abc import Sequence
from dataclasses import dataclass

from gathered import aligned

TABLE = "replayed in depth with the real client: outcome, and requests exact of all"


@dataclass(slots=True)
class Row:
    """One run: where it was recorded, how it was replayed, and what was found."""

    situation: str
    version: str
    transport: str
    way: str
    is_equal: bool = False
    exact: int = 0
    requests: int = 0

    def found(self) -> str:
        """``equal 3/3``"""
        return f"{'equal' if self.is_equal else 'DIFFERS'} {self.exact}/{self.requests}"


def table(gathered: Sequence[Row]) -> list[str]:
    """A line for each place, a column for each way; ``-`` is a run that cannot be."""
    ways = sorted({row.way for row in gathered})
    places = list(dict.fromkeys((row.situation, row.version, row.transport) for row in gathered))
    found = {(row.situation, row.version, row.transport, row.way): row.found() for row in gathered}
    rows = [
        ("situation", "codex", "over", *ways),
        *((*place, *(found.get((*place, way), "-") for way in ways)) for place in places),
    ]
    return [*aligned(rows), f"{len(gathered)} runs"]
