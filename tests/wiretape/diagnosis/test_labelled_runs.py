"""The diagnosis of real runs of Codex against faults of known cause."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from diagnosis_table import judge
from labelled_runs import RUNS, LabelledRun

from wiretape.diagnosis.diagnose import diagnose
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.id)
def test_a_run_is_found_to_be_what_it_was(
    run: LabelledRun, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The findings in its recording are of the kinds of its fault, and of no other."""
    cell = Cell(run.situation, codex(run.version), run.transport, tmp_path)
    cell.recorded()
    with TapeReader(cell.tape) as reader:
        findings = diagnose(reader).findings
    row = judge(run.id, run.expected, {finding.kind for finding in findings})
    assert row.found == row.expected
