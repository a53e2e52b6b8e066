"""Recordings of the real Codex held against the documented client."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from declared import REPOSITORY
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)

from replayer.reference.verify import Verdict, verify_tape
from wiretape.store_reader import TapeReader

SSE, WEBSOCKET = Transport
OLD, NEW = Version

CELLS = [
    ("tool-round", WEBSOCKET, OLD),
    ("tool-round", WEBSOCKET, NEW),
    ("cut-then-answer", SSE, OLD),
    ("closed-until-fallback", WEBSOCKET, OLD),
    ("closed-until-fallback", WEBSOCKET, NEW),
    ("default-provider", SSE, OLD),
]


SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))


@pytest.mark.parametrize("tape", SAMPLES, ids=lambda tape: tape.parent.name)
def test_each_sample_is_verified_as_equal(tape: Path) -> None:
    """The sample tapes are of real runs too, and need no Codex."""
    check(tape)


@pytest.mark.codex
@pytest.mark.parametrize(("name", "transport", "version"), CELLS)
def test_a_real_run_is_verified_as_equal(
    name: str,
    transport: Transport,
    version: Version,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """The documented client, in the dialect of that version, would have done the same."""
    features = () if transport is DEFAULT_TRANSPORT[version] else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(SITUATIONS[name], codex(version), transport, tmp_path, features)
    cell.recorded()
    check(cell.tape)


def check(tape: Path) -> None:
    """The verdict on the only session is equal, and every act of it is explained."""
    with TapeReader(tape) as reader:
        (found,) = asyncio.run(verify_tape(reader, (), tell=pytest.fail))
    assert (found.verdict, found.divergence) == (Verdict.EQUAL, None)
    assert found.course is not None
    assert (found.course.cut, found.course.acts) == (None, len(found.session.acts))
