"""Each cell of the tables that a response and its items go by."""

from typing import Any

import pytest
from response_events import (
    AGAIN,
    COMPLETED,
    CREATED,
    EARLY,
    LATE,
    added,
    delta,
    done,
    kinds,
    lifecycle,
    of,
    text_done,
)

from wiretape.output import ITEM_STEPS, AnomalyKind, ItemState, ItemTrigger
from wiretape.response import STEPS, Status, Trigger

REACHED_BY: dict[Status, list[dict[str, Any]]] = {
    Status.WAITING: [],
    Status.OPEN: [CREATED],
    Status.COMPLETED: [CREATED, COMPLETED],
    Status.FAILED: [CREATED, lifecycle("failed")],
    Status.INCOMPLETE: [CREATED, lifecycle("incomplete")],
    Status.ERRORED: [CREATED, {"type": "error"}],
}
FIRED_BY: dict[Trigger, list[dict[str, Any] | str]] = {
    Trigger.CREATED: [CREATED],
    Trigger.PROGRESS: [lifecycle("in_progress"), lifecycle("queued")],
    Trigger.OUTPUT: [added()],
    Trigger.COMPLETED: [COMPLETED],
    Trigger.DONE: [lifecycle("done")],
    Trigger.FAILED: [lifecycle("failed")],
    Trigger.INCOMPLETE: [lifecycle("incomplete")],
    Trigger.ERROR: [{"type": "error", "message": "m"}],
    Trigger.OTHER: [{"type": "codex.rate_limits"}],
}
# One row for each state, one column for each trigger, in the order of the two enums.
CELLS = {
    Status.WAITING: [
        (Status.OPEN, None),
        (Status.OPEN, EARLY),
        (Status.OPEN, EARLY),
        (Status.COMPLETED, EARLY),
        (Status.COMPLETED, EARLY),
        (Status.FAILED, EARLY),
        (Status.INCOMPLETE, EARLY),
        (Status.ERRORED, None),
        (Status.WAITING, None),
    ],
    Status.OPEN: [
        (Status.OPEN, AGAIN),
        (Status.OPEN, None),
        (Status.OPEN, None),
        (Status.COMPLETED, None),
        (Status.COMPLETED, None),
        (Status.FAILED, None),
        (Status.INCOMPLETE, None),
        (Status.ERRORED, None),
        (Status.OPEN, None),
    ],
    Status.COMPLETED: [
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, None),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, LATE),
        (Status.COMPLETED, None),
    ],
    Status.FAILED: [*[(Status.FAILED, LATE)] * 8, (Status.FAILED, None)],
    Status.INCOMPLETE: [*[(Status.INCOMPLETE, LATE)] * 8, (Status.INCOMPLETE, None)],
    Status.ERRORED: [
        (Status.ERRORED, LATE),
        (Status.ERRORED, LATE),
        (Status.ERRORED, LATE),
        (Status.ERRORED, LATE),
        (Status.ERRORED, LATE),
        (Status.FAILED, None),
        (Status.ERRORED, LATE),
        (Status.ERRORED, LATE),
        (Status.ERRORED, None),
    ],
}


@pytest.mark.parametrize(
    ("before", "trigger", "after", "anomaly"),
    [
        (before, trigger, *cell)
        for before, row in CELLS.items()
        for trigger, cell in zip(Trigger, row, strict=True)
    ],
)
def test_each_cell_of_the_response_table(
    before: Status, trigger: Trigger, after: Status, anomaly: AnomalyKind | None
) -> None:
    """Every kind of event in every state leads to the state and the anomaly written here."""
    for event in FIRED_BY[trigger]:
        assert of(*REACHED_BY[before]).status is before
        state = of(*REACHED_BY[before], event)
        assert state.status is after
        assert kinds(state) == ([] if anomaly is None else [anomaly])
        assert state.event_count == len(REACHED_BY[before]) + 1


def test_the_response_table_is_whole() -> None:
    """There is a cell for every state and trigger, and a test for every cell."""
    assert set(STEPS) == set(Status)
    assert all(set(row) == set(Trigger) for row in STEPS.values())
    assert set(CELLS) == set(Status)


ITEM_REACHED_BY: dict[ItemState, list[dict[str, Any]]] = {
    ItemState.UNKNOWN: [CREATED],
    ItemState.OPEN: [CREATED, added()],
    ItemState.DONE: [CREATED, added(), done()],
}
ITEM_FIRED_BY: dict[ItemTrigger, list[dict[str, Any]]] = {
    ItemTrigger.ADDED: [added()],
    ItemTrigger.CONTENT: [
        delta("a"),
        text_done("a"),
        {
            "type": "response.content_part.added",
            "item_id": "msg_1",
            "part": {"type": "output_text"},
        },
        {"type": "response.content_part.done", "item_id": "msg_1", "part": {"type": "output_text"}},
    ],
    ItemTrigger.DONE: [done()],
}
ITEM_CELLS = {
    (ItemState.UNKNOWN, ItemTrigger.ADDED): (ItemState.OPEN, None),
    (ItemState.UNKNOWN, ItemTrigger.CONTENT): (ItemState.UNKNOWN, AnomalyKind.ITEM_UNKNOWN),
    (ItemState.UNKNOWN, ItemTrigger.DONE): (ItemState.DONE, AnomalyKind.ITEM_NOT_ADDED),
    (ItemState.OPEN, ItemTrigger.ADDED): (ItemState.OPEN, AnomalyKind.ITEM_ADDED_AGAIN),
    (ItemState.OPEN, ItemTrigger.CONTENT): (ItemState.OPEN, None),
    (ItemState.OPEN, ItemTrigger.DONE): (ItemState.DONE, None),
    (ItemState.DONE, ItemTrigger.ADDED): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
    (ItemState.DONE, ItemTrigger.CONTENT): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
    (ItemState.DONE, ItemTrigger.DONE): (ItemState.DONE, AnomalyKind.ITEM_ALREADY_DONE),
}


@pytest.mark.parametrize(("cell", "outcome"), ITEM_CELLS.items())
def test_each_cell_of_the_item_table(
    cell: tuple[ItemState, ItemTrigger], outcome: tuple[ItemState, AnomalyKind | None]
) -> None:
    """Every kind of item event in every state of the item, forbidden ones included."""
    before, trigger = cell
    after, anomaly = outcome
    for event in ITEM_FIRED_BY[trigger]:
        state = of(*ITEM_REACHED_BY[before], event)
        states = [item.state for item in state.items] or [ItemState.UNKNOWN]
        assert states == [after]
        assert kinds(state) == ([] if anomaly is None else [anomaly])


def test_the_item_table_is_whole() -> None:
    """There is a cell for every state and trigger, and a test for every cell."""
    every_cell = {(state, trigger) for state in ItemState for trigger in ItemTrigger}
    assert set(ITEM_STEPS) == every_cell
    assert set(ITEM_CELLS) == every_cell
