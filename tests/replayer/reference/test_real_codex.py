"""Recordings of the real Codex held against the documented client."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)

from replayer.reference.verify import Verdict, verify_tape
from wiretape.store_reader import TapeReader

pytestmark = pytest.mark.codex

SSE, WEBSOCKET = Transport
OLD, NEW = Version

CELLS = [
    ("tool-round", WEBSOCKET, OLD),
    ("tool-round", WEBSOCKET, NEW),
    ("three-rounds", SSE, NEW),
    ("cut-then-answer", SSE, OLD),
    ("closed-until-fallback", WEBSOCKET, OLD),
    ("closed-until-fallback", WEBSOCKET, NEW),
    ("upgrade-426", WEBSOCKET, NEW),
    ("default-provider", SSE, OLD),
]


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
    with TapeReader(cell.tape) as reader:
        (found,) = asyncio.run(verify_tape(reader, "", tell=pytest.fail))
    assert (found.verdict, found.divergence) == (Verdict.EQUAL, None)
    assert found.course is not None
    assert (found.course.cut, found.course.acts) == (None, len(found.session.acts))
