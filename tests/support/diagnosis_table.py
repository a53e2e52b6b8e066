"""How good the diagnosis is on recordings of known cause, gathered by the tests, for a summary."""

from collections.abc import Sequence, Set
from dataclasses import dataclass

from gathered import gather

from wiretape.diagnosis.kinds import Kind


@dataclass(frozen=True, slots=True)
class Judged:
    """One recording: the kinds of finding that it deserves, and those it got."""

    name: str
    expected: frozenset[Kind]
    found: frozenset[Kind]


TABLE = "diagnosis of recordings with a known cause"


def judge(name: str, expected: Set[Kind], found: Set[Kind]) -> Judged:
    """Adds a recording to the summary."""
    row = Judged(name, frozenset(expected), frozenset(found))
    gather(TABLE, row)
    return row


def summary(rows: Sequence[Judged]) -> list[str]:
    """Precision and recall over all kinds and recordings, and every miss by name."""
    right = sum(len(row.expected & row.found) for row in rows)
    found = sum(len(row.found) for row in rows)
    expected = sum(len(row.expected) for row in rows)
    healthy = [row for row in rows if not row.expected]
    disturbed = sum(bool(row.found) for row in healthy)
    return [
        f"{len(rows)} recordings, {len(healthy)} of them healthy, "
        f"{len({kind for row in rows for kind in row.expected})} of {len(Kind)} kinds",
        f"precision {_share(right, found)}, recall {_share(right, expected)}, "
        f"healthy ones with a finding: {disturbed}",
        *(
            f"{row.name}: expected {_names(row.expected)}, found {_names(row.found)}"
            for row in rows
            if row.expected != row.found
        ),
    ]


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part} of {whole})" if whole else "undefined (0 of 0)"


def _names(kinds: Set[Kind]) -> str:
    return ", ".join(sorted(kinds)) or "nothing"
