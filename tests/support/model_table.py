"""The table of the real client against the model of it, for the end of a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from client_cell import NEW, OLD, Cell
from client_cells import CELLS
from prediction import Prediction

TABLE = "the real client against its model"


@dataclass(frozen=True, slots=True)
class Run:
    """One cell as it was foretold and as it went."""

    version: str
    cell: Cell
    foretold: Prediction
    seen: Prediction


def table(runs: Sequence[Run]) -> list[str]:
    """One line for each cell, then the cells that cannot be foretold, with the reason."""
    lines = []
    for run in sorted(runs, key=lambda run: (run.version, str(run.cell))):
        verdict = "as foretold" if run.seen == run.foretold else "DIFFERS"
        asked = f"exit {run.seen.exit_code}, asked: {run.seen.asked}"
        lines.append(f"{run.version:8}{run.cell!s:50}{verdict:13}{asked}")
    for version in (OLD, NEW):
        lines += (
            f"{version:8}{cell!s:50}not foretold: {cell.unforeseen[version]}"
            for cell in CELLS
            if version in cell.unforeseen
        )
    right = sum(run.seen == run.foretold for run in runs)
    lines.append(f"{right} of {len(runs)} cells as foretold")
    return lines
