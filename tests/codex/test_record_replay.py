"""The main job on the real client: recorded, it runs as without us; replayed, as recorded."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cells import Cell, comparable
from codex_run import normalised
from gathered import gather
from replay_table import TABLE, Row
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)
from tape_contents import order_of_requests, server_bytes

pytestmark = pytest.mark.codex

CELLS = [
    (name, version, transport)
    for name in SITUATIONS
    for version in Version
    for transport in SITUATIONS[name].scripts
]


@pytest.mark.parametrize(("name", "version", "transport"), CELLS)
def test_a_run_is_recorded_and_replayed(
    name: str,
    version: Version,
    transport: Transport,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """The recorder changes nothing, and the replay gives the recorded run again."""
    features = () if transport is DEFAULT_TRANSPORT[version] else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(SITUATIONS[name], codex(version), transport, tmp_path, features)
    direct, recorded = cell.direct(), cell.recorded()
    replayed, report = cell.replayed()
    asked_directly, asked_recorded = (
        comparable(run.asked, is_led_astray=cell.situation.is_default_provider)
        for run in (direct, recorded)
    )

    row = Row(name, version, transport)
    gather(TABLE, row)
    row.recorded_as_direct = (
        normalised(recorded.codex.events) == normalised(direct.codex.events)
        and recorded.codex.exit_code == direct.codex.exit_code
    )
    row.asked_as_direct = asked_recorded == asked_directly
    row.replayed_as_recorded = (
        normalised(replayed.events) == normalised(recorded.codex.events)
        and replayed.exit_code == recorded.codex.exit_code
    )
    row.same_order = order_of_requests(cell.replay_tape) == order_of_requests(cell.tape)
    row.same_bytes = server_bytes(cell.replay_tape) == server_bytes(cell.tape)
    row.counts = report["counts"]

    assert normalised(recorded.codex.events) == normalised(direct.codex.events)
    assert recorded.codex.exit_code == direct.codex.exit_code
    assert asked_recorded == asked_directly
    assert normalised(replayed.events) == normalised(recorded.codex.events)
    assert replayed.exit_code == recorded.codex.exit_code
    assert order_of_requests(cell.replay_tape) == order_of_requests(cell.tape)
    assert server_bytes(cell.replay_tape) == server_bytes(cell.tape)
    assert report["different"] == []
    assert report["unexpected"] == []
    assert report["not_asked"] == []
