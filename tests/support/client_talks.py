"""Situations of several turns, and of what is repeated from one request to the next, as data."""

from collections.abc import Iterator, Mapping

from client_cell import SSE, WEBSOCKET, Cell, Course
from client_replies import (
    ANSWER,
    COMPLETED,
    LOST,
    MESSAGE,
    SAID,
    ended,
    error_event,
    event,
    failed,
    on_socket,
    replies,
)
from provider_script import Accept, Close, Fin, Headers, Plain, Reply, Run, Say, Script

CALLED = event(
    "response.output_item.done",
    item={
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "exec_command",
        "arguments": '{"cmd":"true"}',
    },
)
SAID_ELSE = event("response.output_item.done", item={**MESSAGE, "id": "msg_2"})
ROUND = (Reply(Run("true")), Reply(Say("done")))
_UNKNOWN = error_event(400, error={"code": "previous_response_not_found", "message": "m"})
_FATAL = failed("invalid_prompt", "told")

_REPEATED: Mapping[str, tuple[Reply, ...]] = {
    "lost after a message": (*replies(SAID, failed("server_error", "boom")), *ROUND),
    "lost after a call": (*replies(CALLED, failed("server_error", "boom")), *ROUND),
    "cut after a message and a call": (*ended(Fin(), SAID, CALLED), *ROUND),
    "lost twice after a message": (
        *replies(SAID, failed("server_error", "boom")),
        *replies(SAID_ELSE, failed("server_error", "boom")),
        *ANSWER,
    ),
}
"""What a broken answer had finished, and whether it is said again."""

_TWO_TURNS: Mapping[str, tuple[Reply, ...]] = {
    "two turns": ANSWER,
    "two turns with tools": (*ROUND, *ROUND),
    "lost in the second turn": (*ANSWER, *LOST, *ANSWER),
    "given up, then another turn": (*replies(SAID, CALLED, _FATAL), *ANSWER),
}

_TWO_TURNS_ON_A_SOCKET: Mapping[str, tuple[Reply, ...]] = {
    "closed after the first turn": (*ended(Close(1000), SAID, COMPLETED), *ANSWER),
    "dropped after the first turn": (*ended(Fin(), SAID, COMPLETED), *ANSWER),
    "second turn: unknown response": (*ANSWER, *replies(_UNKNOWN), *ANSWER),
}

_STATES: tuple[Headers, ...] = tuple((("x-codex-turn-state", f"state-{n}"),) for n in range(9))


def _cells() -> Iterator[Cell]:
    for name, given in _REPEATED.items():
        budget = {"stream_max_retries": 2}
        yield Cell(name, SSE, Script(posts=given), budget)
        yield Cell(name, WEBSOCKET, on_socket(given), budget)
    for name, given in _TWO_TURNS.items():
        yield Cell(name, SSE, Script(posts=given), course=Course.TWO_TURNS)
        yield Cell(name, WEBSOCKET, on_socket(given), course=Course.TWO_TURNS)
    for name, given in _TWO_TURNS_ON_A_SOCKET.items():
        yield Cell(name, WEBSOCKET, on_socket(given), course=Course.TWO_TURNS)
    for course in (Course.RESUMED, Course.COMPACTED, Course.REVIEWED):
        name = course.name.lower()
        yield Cell(name, SSE, Script(posts=ROUND), course=course)
        yield Cell(name, WEBSOCKET, on_socket(ROUND), course=course)
    yield from _turn_states()
    for code, unknown in {
        "error": _UNKNOWN,
        "failed": failed("previous_response_not_found", "m"),
    }.items():
        given = (ROUND[0], *replies(unknown), *ANSWER)
        yield Cell(f"{code}: unknown response after tools", WEBSOCKET, on_socket(given))
    gone = Script(posts=ANSWER, upgrades=(Accept(), Plain(426)), messages=LOST)
    yield Cell("fallback, then another turn", WEBSOCKET, gone, course=Course.TWO_TURNS)


def _turn_states() -> Iterator[Cell]:
    """Every answer and every handshake gives another turn state."""
    runs = [Reply(Run("true"), headers=state) for state in _STATES[:2]]
    posts = (*runs, Reply(Say("done")))
    upgrades = tuple(map(Accept, _STATES))
    lost = (*LOST, ROUND[0], *LOST, ROUND[1])
    yield Cell("turn states", SSE, Script(posts=posts))
    yield Cell("turn states", WEBSOCKET, Script(upgrades=upgrades, messages=lost))
    fallen = Script(posts=posts, upgrades=upgrades, messages=LOST)
    yield Cell("turn states, fallback", WEBSOCKET, fallen, course=Course.TWO_TURNS)


TALKS = tuple(_cells())
