"""``--strict`` with ``--fault``: strict until the server fails, as what follows is its doing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from replay_runs import Ran, asking

type Run = Callable[..., Ran]

FAULT = ("--strict", "--fault", "1:status=503")


def statuses(ran: Ran) -> list[int]:
    return [status for status, _ in ran.answers]


def test_what_a_client_asks_after_a_fault_is_answered(run: Run, tape: Path) -> None:
    """Though it is not as recorded, and it is no reason to fail: the fault may have led to it."""
    ran = run(tape, *FAULT, *asking("a", "a", "x"))
    assert statuses(ran) == [503, 200, 200]
    assert ran.exit_code == 0
    assert "asked 3 times: 2 exact, 1 different, 0 unexpected, 0 not asked," in ran.stderr


def test_a_client_that_gives_up_after_a_fault_has_its_own_exit_code(run: Run, tape: Path) -> None:
    """What it leaves unasked then is no finding either."""
    assert run(tape, *FAULT, *asking("a")).exit_code == 0


def test_before_the_fault_all_is_to_be_as_recorded(run: Run, tape: Path) -> None:
    """A request that differs is refused, and is none that met the fault."""
    ran = run(tape, *FAULT, *asking("x", "b"))
    assert statuses(ran) == [400, 200]
    assert ran.exit_code == 1


def test_a_fault_that_is_not_met_excuses_nothing(run: Run, tape: Path) -> None:
    """What was recorded and is not asked is a finding."""
    assert run(tape, *FAULT, *asking("b")).exit_code == 1


@pytest.mark.parametrize(("texts", "code"), [("ab", 0), ("ax", 1)])
def test_without_faults_it_is_strict_to_the_end(
    texts: str, code: int, run: Run, tape: Path
) -> None:
    """As ever."""
    assert run(tape, "--strict", *asking(*texts)).exit_code == code
