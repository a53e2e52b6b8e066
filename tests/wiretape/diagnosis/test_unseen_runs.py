"""The diagnosis of real runs of Codex that no rule was made by."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from diagnosis_table import judge
from labelled_runs import RUNS, LabelledRun
from unseen_runs import UNSEEN_RUNS

from wiretape.diagnosis.diagnose import diagnose
from wiretape.store_reader import TapeReader


@pytest.mark.codex
@pytest.mark.parametrize("run", UNSEEN_RUNS, ids=lambda run: run.id)
def test_a_run_is_found_to_be_what_it_was(
    run: LabelledRun, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The findings in its recording are of the kinds foretold, and of no other."""
    cell = Cell(run.situation, codex(run.version), run.transport, tmp_path)
    cell.recorded()
    with TapeReader(cell.tape) as reader:
        findings = diagnose(reader).findings
    row = judge(f"unseen: {run.id}", run.expected, {finding.kind for finding in findings})
    assert row.found == row.expected


def test_what_is_held_out_is_not_in_the_other_set() -> None:
    """Else it would have been seen."""
    assert {run.name for run in UNSEEN_RUNS}.isdisjoint(run.name for run in RUNS)
