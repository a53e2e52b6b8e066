"""The real client against the model of it: what a run does is what the model foretells.

Each cell is a scripted situation, run once with the real client and once with the model. Equal
must be what the provider was asked (attempts, transports), what was printed, what the agent said,
and the exit code. The table of all cells is printed at the end.
"""

import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from client_cell import NEW, OLD, Cell
from client_cells import CELLS
from codex_binary import codex_binary
from codex_run import CodexRun, run_codex
from codex_talk import talk_codex
from gathered import gather
from model_table import TABLE, Run
from prediction import Prediction, predict
from provider import HOST, Provider
from request_words import words_of

from wiretape.client.dialect import Dialect
from wiretape.client.dialects import dialect_for

pytestmark = pytest.mark.codex

PROMPT = "Follow the script."
BESIDE_THE_POINT = (
    "Model metadata for `gpt-5.2-codex` not found. Defaulting to fallback metadata; "
    "this can degrade performance and cause issues.",
    "Heads up: Long threads and multiple compactions can cause the model to be less accurate. "
    "Start a new thread when possible to keep threads small and targeted.",
)
"""What the newer client says of a model that it does not know, and the older one of compactions:
no part of what happens on the wire."""

FORESEEN = [
    pytest.param(cell, version, id=f"{version}-{cell}")
    for version in (OLD, NEW)
    for cell in CELLS
    if version not in cell.unforeseen
]


def _run(version: str, cell: Cell, folder: Path) -> Run:
    with ExitStack() as stack:
        if cell.script is None:
            # Bound but not listened on, so that nobody else takes the port.
            unused = stack.enter_context(socket.socket())
            unused.bind((HOST, 0))
            base_url, provider = f"http://{HOST}:{unused.getsockname()[1]}/v1", None
        else:
            provider = stack.enter_context(Provider(cell.script))
            base_url = provider.base_url
        foretold = predict(
            cell.script,
            _dialect(version),
            base_url=base_url,
            transport=cell.transport,
            settings=cell.settings,
            tasks=cell.course.tasks,
            is_resumed=cell.course.is_resumed,
        )
        return Run(version, cell, foretold, _seen(_real(version, cell, base_url, folder), provider))


def _real(version: str, cell: Cell, base_url: str, folder: Path) -> CodexRun:
    """What the real client does, all its runs together."""
    binary = codex_binary(version)
    assert binary is not None
    course = cell.course
    given: dict[str, Any] = {
        "base_url": base_url,
        "transport": cell.transport,
        "home": folder / "home",
        "cwd": folder / "work",
        "settings": cell.settings,
    }
    if course.has_editor:
        return talk_codex(binary, course.tasks, PROMPT, **given)
    first, *others = (
        run_codex(binary, PROMPT, **given, resumes=number > 0)
        for number in range(len(course.tasks))
    )
    for other in others:
        exit_code = max(first.exit_code or 0, other.exit_code or 0)
        first = CodexRun(exit_code, first.events + other.events, other.stdout, other.stderr)
    return first


def _dialect(version: str) -> Dialect:
    dialect = dialect_for((("user-agent", f"codex_exec/{version} (Linux; x86_64) unknown"),))
    assert dialect is not None
    return dialect


def _seen(run: CodexRun, provider: Provider | None) -> Prediction:
    assert run.exit_code is not None, f"the client did not end: {run.stdout}"
    messages = [
        event["item"]["text"]
        for event in run.events
        if event["type"] == "item.completed" and event["item"]["type"] == "agent_message"
    ]
    complaints = [each for each in run.complaints if each not in BESIDE_THE_POINT]
    asked, said = ("", ()) if provider is None else (provider.summary, words_of(provider.requests))
    return Prediction(asked, tuple(complaints), tuple(messages), run.exit_code, said)


@pytest.mark.parametrize(("cell", "version"), FORESEEN)
def test_the_real_client_does_what_the_model_foretells(
    cell: Cell,
    version: str,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Requests, complaints, messages and exit code are the model's."""
    codex(version)
    run = _run(version, cell, tmp_path)
    gather(TABLE, run)
    assert run.seen == run.foretold
