"""The rows of the record-and-replay table, gathered by the tests and printed by their summary."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from gathered import aligned


@dataclass(slots=True)
class Row:
    """One cell: what was found to be equal, and the replay's counts."""

    situation: str
    version: str
    transport: str
    recorded_as_direct: bool = False
    asked_as_direct: bool = False
    replayed_as_recorded: bool = False
    same_order: bool = False
    same_bytes: bool = False
    counts: dict[str, int] = field(default_factory=dict)

    def cells(self) -> list[str]:
        """The row in words."""
        facts = (
            self.recorded_as_direct,
            self.asked_as_direct,
            self.replayed_as_recorded,
            self.same_order,
            self.same_bytes,
        )
        names = ("requests", "exact", "different", "unexpected", "not_asked", "blocked")
        return [
            self.situation,
            self.version,
            self.transport,
            *("equal" if fact else "DIFFERS" for fact in facts),
            *(str(self.counts.get(name, "")) for name in names),
        ]


HEAD = [
    "situation",
    "codex",
    "over",
    "recorded run",
    "upstream asked",
    "replayed run",
    "order",
    "bytes",
    "requests",
    "exact",
    "different",
    "unexpected",
    "not asked",
    "blocked",
]

TABLE = "recorded and replayed with the real client"


def table(gathered: Sequence[Row]) -> list[str]:
    """The rows as aligned lines."""
    return aligned([HEAD, *(row.cells() for row in gathered)])
