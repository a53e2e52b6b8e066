"""``python -m replayer.reference`` recorded as any client is, and held against its recording."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from cells import WIRETAPE
from codex_run import CodexRun, normalised, provider_config, run_codex
from prediction import Prediction, predict
from provider import Provider
from request_words import words_of
from situations import PROMPT, SITUATIONS, Transport, Version

import replayer.reference.verify
from replayer.reference.recorded import RecordedSession, recorded_sessions
from replayer.reference.verify import PATIENCE, Verdict, verify
from wiretape.client.dialects import dialect_of
from wiretape.store_reader import TapeReader

type Name = tuple[str, Transport, Version]

RUNS: list[Name] = [
    (name, transport, version)
    for name, situation in SITUATIONS.items()
    for transport in situation.scripts
    for version in Version
]
BUDGETS = {"request_max_retries": 2, "stream_max_retries": 2}
DIALECTS = {Version.OLD: dialect_of((0, 99)), Version.NEW: dialect_of((0, 169))}
MANY_TASKS = Path(__file__).with_name("many_tasks.py")


@dataclass(frozen=True, slots=True)
class Recorded:
    """One of the recorded runs: what was foretold, what was printed, and its session."""

    foretold: Prediction
    asked: str
    said: tuple[str, ...]
    run: CodexRun
    session: RecordedSession


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[Name, Recorded]]:
    """Every situation, each with a provider of its own, in one recording."""
    root = tmp_path_factory.mktemp("runs")
    tape = root / "tape.db"
    with ExitStack() as stack:
        foretold, providers, folders = {}, {}, {}
        for name, transport, version in RUNS:
            situation = SITUATIONS[name]
            script = situation.scripts[transport]
            provider = stack.enter_context(Provider(script))
            settings = {**BUDGETS, **situation.settings}
            folder = root / f"{name}-{transport}-{version}"
            folder.mkdir()
            config = provider_config(provider.base_url, transport, settings)
            (folder / "config.toml").write_text(config)
            (folder / "version").write_text(version)
            run = name, transport, version
            providers[run], folders[run] = provider, folder
            foretold[run] = predict(
                script,
                DIALECTS[version],
                base_url=provider.base_url,
                transport=transport,
                settings=settings,
            )
        subprocess.run(
            [WIRETAPE, "record", "-o", tape, "--", sys.executable, MANY_TASKS, *folders.values()],
            env={"PATH": os.environ["PATH"], "WIRETAPE_CA_DIR": str(root / "ca")},
            check=True,
            capture_output=True,
        )
        asked = {run: provider.summary for run, provider in providers.items()}
        said = {run: words_of(provider.requests) for run, provider in providers.items()}
        reader = stack.enter_context(TapeReader(tape))
        sessions = {session.id: session for session in recorded_sessions(reader)}
        printed = {run: _printed(folder) for run, folder in folders.items()}
        yield {
            run: Recorded(
                foretold[run],
                asked[run],
                said[run],
                printed[run],
                sessions[_thread(printed[run])],
            )
            for run in RUNS
        }


def _printed(folder: Path) -> CodexRun:
    stdout = (folder / "printed").read_text("utf-8")
    events = tuple(json.loads(line) for line in stdout.split("\n") if line)
    return CodexRun(0 if events[-1]["type"] == "turn.completed" else 1, events, stdout, "")


def _thread(run: CodexRun) -> str:
    thread = run.events[0]["thread_id"]
    assert isinstance(thread, str)
    return thread


@pytest.mark.parametrize("name", RUNS, ids="-".join)
def test_a_recorded_run_goes_as_foretold(name: Name, recorded: Mapping[Name, Recorded]) -> None:
    """Through the recorder as without it: what is asked, what is printed, the end."""
    found = recorded[name]
    messages = tuple(
        event["item"]["text"]
        for event in found.run.events
        if event["type"] == "item.completed" and event["item"]["type"] == "agent_message"
    )
    exit_code = found.run.exit_code or 0
    printed = Prediction(found.asked, found.run.complaints, messages, exit_code, found.said)
    assert printed == found.foretold


@pytest.mark.parametrize("name", RUNS, ids="-".join)
def test_a_recorded_run_is_verified_as_equal(
    name: Name, recorded: Mapping[Name, Recorded], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every act is explained, and each request asked exactly as recorded."""
    monkeypatch.setattr(replayer.reference.verify, "PATIENCE", replace(PATIENCE, idle_s=0.5))
    session = recorded[name].session
    found = asyncio.run(verify(session.reader, session, tell=pytest.fail))
    assert (found.verdict, found.divergence) == (Verdict.EQUAL, None)
    assert found.course is not None and found.report is not None
    assert (found.course.cut, found.course.acts) == (None, len(session.acts))
    assert found.report.counts()["exact"] == len(session.acts)


def test_the_client_is_recorded_replayed_and_verified_by_commands(tmp_path: Path) -> None:
    """Called as Codex is, it stands in for it in the main job."""
    situation = SITUATIONS["closed-until-fallback"]
    environment = {"WIRETAPE_CA_DIR": str(tmp_path / "ca")}
    tape, report = tmp_path / "tape.db", tmp_path / "report.json"
    reference = ["--", sys.executable, "-m"]

    def run(base_url: str, *command: str | Path) -> CodexRun:
        return run_codex(
            Path("replayer.reference"),
            PROMPT,
            base_url=base_url,
            transport=Transport.WEBSOCKET,
            home=tmp_path / "home",
            cwd=tmp_path / "cwd",
            environment=environment,
            command_prefix=[WIRETAPE, *map(str, command), *reference],
        )

    with Provider(situation.scripts[Transport.WEBSOCKET]) as provider:
        recorded = run(provider.base_url, "record", "-o", tape)
        base_url = provider.base_url
    replayed = run(base_url, "replay", tape, "--report", report)
    verified = subprocess.run(
        [WIRETAPE, "verify", tape], env=environment, capture_output=True, text=True, check=False
    )
    assert recorded.exit_code == replayed.exit_code == 0
    assert normalised(recorded.events) == normalised(replayed.events)
    assert [complaint.partition(" (")[0] for complaint in recorded.complaints] == [
        "Reconnecting... 1/2",
        "Reconnecting... 2/2",
        "Falling back from WebSockets to HTTPS transport. stream disconnected before "
        "completion: websocket closed by server before response.completed",
    ]
    counts = json.loads(report.read_text())["counts"]
    assert counts["requests"] == counts["exact"] == 7
    assert verified.returncode == 0
    assert verified.stdout.endswith(
        ": equal\n  7 acts of 7, 35 steps, assuming stream_max_retries = 2, "
        "request_max_retries = 4\n"
    )
