"""Recordings of the real Codex held against the documented client."""

import asyncio
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from client_replies import COMPLETED, event, on_socket, replies
from codex_talk import Task, talk_codex
from declared import REPOSITORY
from provider import Provider
from provider_log import Ask, Asked
from provider_script import Reply, Run, Say
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    PROMPT,
    SITUATIONS,
    Transport,
    Version,
)

from replayer.reference.verify import Verdict, Verified, verify_tape
from replayer.report import Verdict as MetAs
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


SPAWN = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "namespace": "multi_agent_v1",
    "name": "spawn_agent",
    "arguments": '{"message": "Look around."}',
}
ROUNDS = (Reply(Run("true")), Reply(Say("done")), Reply(Run("true")), Reply(Say("done")))
SPAWNS = (
    *replies(event("response.output_item.done", item=SPAWN), COMPLETED),
    Reply(Say("done")),
)
TALKS = [
    ((Task.TURN, Task.TURN), WEBSOCKET, NEW, ROUNDS, 1),
    ((Task.TURN, Task.TURN), WEBSOCKET, OLD, ROUNDS, 1),
    ((Task.TURN, Task.COMPACT, Task.TURN), WEBSOCKET, NEW, ROUNDS[1:2], 1),
    ((Task.TURN, Task.REVIEW, Task.TURN), WEBSOCKET, NEW, ROUNDS[1:2], 2),
    ((Task.TURN, Task.REVIEW, Task.TURN), SSE, OLD, ROUNDS[1:2], 2),
]


@pytest.mark.codex
@pytest.mark.parametrize(("tasks", "transport", "version", "said", "sessions"), TALKS)
def test_a_long_run_is_verified_to_its_end(
    tasks: tuple[Task, ...],
    transport: Transport,
    version: Version,
    said: tuple[Reply, ...],
    sessions: int,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Several turns of one client, with a compaction or a review among them."""
    with Provider(on_socket(said, posts=said)) as provider:
        check_talk(tasks, provider, transport, codex(version), tmp_path, sessions)


@pytest.mark.codex
def test_a_sub_agent_is_verified_beside_its_parent(
    codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The two ask at the same time, each on a socket of its own."""
    with Provider(on_socket(SPAWNS)) as provider:

        def has_asked() -> bool:
            """Whether the sub-agent has gone on from its warm-up: only then is it heard out."""
            its = {each.connection for each in provider.requests if is_of_sub_agent(each)}
            return any(
                each.kind is Ask.WEBSOCKET and each.connection in its for each in provider.requests
            )

        def turns() -> Iterator[Task]:
            yield Task.TURN
            while not has_asked():
                yield Task.TURN
            yield Task.TURN

        check_talk(turns(), provider, WEBSOCKET, codex(NEW), tmp_path, sessions=2)


def is_of_sub_agent(asked: Asked) -> bool:
    return "x-openai-subagent" in dict(asked.headers)


def check_talk(
    tasks: Iterable[Task],
    provider: Provider,
    transport: Transport,
    binary: Path,
    folder: Path,
    sessions: int,
) -> None:
    """Records the client at these tasks: all acts of so many sessions are explained, and each
    request is asked exactly as recorded."""
    tape = folder / "tape.db"
    run = talk_codex(
        binary,
        tasks,
        PROMPT,
        base_url=provider.base_url,
        transport=transport,
        home=folder / "home",
        cwd=folder / "cwd",
        environment={"WIRETAPE_CA_DIR": str(folder / "ca")},
        command_prefix=[WIRETAPE, "record", "-o", str(tape), "--"],
    )
    assert run.exit_code == 0, run.stderr
    found = verdicts(tape)
    assert len(found) == sessions
    for each in found:
        assert (each.verdict, each.divergence) == (Verdict.EQUAL, None)
        assert each.course is not None and each.report is not None
        assert each.course.acts == len(each.session.acts)
        assert not each.report.of(MetAs.DIFFERENT)


def check(tape: Path) -> None:
    """The verdict on the only session is equal, and every act of it is explained."""
    (found,) = verdicts(tape)
    assert (found.verdict, found.divergence) == (Verdict.EQUAL, None)
    assert found.course is not None
    assert (found.course.cut, found.course.acts) == (None, len(found.session.acts))


def verdicts(tape: Path) -> list[Verified]:
    """The verdict on each session."""
    with TapeReader(tape) as reader:
        return asyncio.run(verify_tape(reader, (), tell=pytest.fail))
