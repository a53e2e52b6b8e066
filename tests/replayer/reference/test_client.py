"""The reference client on real sockets does what the model of the client foretells."""

from typing import Any

import pytest
from client_cell import NEW, OLD, Cell
from client_cells import CELLS
from provider_script import Reply, Run, Say, Script
from reference_run import run_reference
from situations import OPEN, SITUATIONS, Transport

from wiretape.client.dialects import DOCUMENTED, dialect_of

DIALECTS = {OLD: dialect_of((0, 99)), NEW: dialect_of((0, 169))}
BUDGETS = {"request_max_retries": 2, "stream_max_retries": 2}

PLAYED = [
    (name, transport, version)
    for name, situation in SITUATIONS.items()
    for transport in situation.scripts
    for version in DIALECTS
]


@pytest.mark.parametrize(("name", "transport", "version"), PLAYED)
def test_each_situation_goes_as_foretold(name: str, transport: Transport, version: str) -> None:
    """What is asked, printed and answered, and the end, are the model's."""
    situation = SITUATIONS[name]
    ran = run_reference(
        situation.scripts[transport],
        DIALECTS[version],
        transport,
        {**BUDGETS, **situation.settings},
    )
    assert ran.outcome == ran.foretold


ON_THE_WIRE = (
    "binary",
    "closed",
    "cut",
    "error: ",
    "nobody",
    "post cut",
    "post reset",
    "reset",
    "status",
    "upgrade",
    "warm-up",
)
"""Beginnings of the names of what is about connections, and not about events."""

BROKEN = [
    (cell, version)
    for cell in CELLS
    for version in DIALECTS
    if cell.name.startswith(ON_THE_WIRE) and version not in cell.unforeseen
]


@pytest.mark.parametrize(("cell", "version"), BROKEN, ids=str)
def test_each_way_to_break_a_connection_is_told_by_its_name(cell: Cell, version: str) -> None:
    """What the libraries raise becomes what the model knows, in the client's words."""
    ran = run_reference(cell.script, DIALECTS[version], cell.transport, cell.settings)
    assert ran.outcome == ran.foretold


def inputs(ran: Any) -> list[list[Any]]:
    """The types of the items of each request that was asked with a body."""
    return [[item["type"] for item in asked.body["input"]] for asked in ran.requests if asked.body]


TWO_ROUNDS = (Reply(Run("echo one")), Reply(Run("echo two")), Reply(Say("done")))
ROUND = ["reasoning", "function_call", "function_call_output"]


def test_every_round_says_the_whole_conversation_again() -> None:
    """Document 004: over HTTP each round repeats message, call and output of those before."""
    ran = run_reference(Script(posts=TWO_ROUNDS), DOCUMENTED, "sse", BUDGETS)
    assert inputs(ran) == [["message"], ["message", *ROUND], ["message", *ROUND, *ROUND]]


def test_on_a_socket_only_what_is_new_is_said() -> None:
    """Document 002 §4.4: on its WebSocket the client appends the answer and the outputs."""
    script = Script(upgrades=OPEN, messages=TWO_ROUNDS)
    ran = run_reference(script, DOCUMENTED, "websocket", BUDGETS)
    assert inputs(ran) == [["message"], ROUND, ROUND]


def test_a_client_that_warms_up_refers_to_each_answer() -> None:
    """0.169 warms up with nothing, then names the response before and says what is new."""
    script = Script(upgrades=OPEN, messages=TWO_ROUNDS)
    ran = run_reference(script, DIALECTS[NEW], "websocket", BUDGETS)
    assert inputs(ran) == [[], ["message"], ["function_call_output"], ["function_call_output"]]
    links = [asked.body.get("previous_response_id") for asked in ran.requests if asked.body]
    assert links == [None, "resp_0001", "resp_0002", "resp_0003"]


def outputs(ran: Any) -> list[Any]:
    """What the last request gave back for calls."""
    items = ran.requests[-1].body["input"]
    return [item["output"] for item in items if item["type"].endswith("_output")]


def test_a_call_is_answered_from_the_recording() -> None:
    """By its call id; a call that was not recorded is told so."""
    given = {
        "call_0001_1": {"type": "function_call_output", "call_id": "call_0001_1", "output": "1"}
    }
    ran = run_reference(Script(posts=TWO_ROUNDS), DOCUMENTED, "sse", BUDGETS, given)
    assert outputs(ran) == ["1", "No output was recorded for this call."]


def test_the_turn_state_comes_back_within_the_turn() -> None:
    """What the first answer gave as turn state is a header of the next request."""
    replies = (Reply(Run("true"), headers=(("x-codex-turn-state", "s1"),)), Reply(Say("done")))
    ran = run_reference(Script(posts=replies), DOCUMENTED, "sse", BUDGETS)
    states = [dict(asked.headers).get("x-codex-turn-state") for asked in ran.requests]
    assert states == [None, "s1"]


def test_a_post_carries_no_header_that_the_client_did_not_choose() -> None:
    """The library's own headers stay away, but for what the connection needs."""
    ran = run_reference(Script(posts=(Reply(Say("done")),)), DOCUMENTED, "sse", BUDGETS)
    assert sorted(name for name, _ in ran.requests[0].headers) == [
        "accept",
        "authorization",
        "content-length",
        "content-type",
        "host",
        "originator",
        "session_id",
        "user-agent",
    ]
