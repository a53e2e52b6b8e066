"""Puts a model up for a test, replayed or recorded, and leads the test's clients to it."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest

from gateway.authority import Authority
from replayer.bends.options import bends_for
from replayer.faults.spec import read_fault
from replayer.pacing import Pace
from replayer.pytest_plugin.background import replaying
from replayer.pytest_plugin.choices import Choice
from replayer.pytest_plugin.guard import only_this_machine
from replayer.pytest_plugin.recording import BackgroundRecording
from replayer.pytest_plugin.taped_model import TapedModel
from replayer.run import Replay
from replayer.timing import timed
from wiretape.commands.ignore_files import ignored_beside
from wiretape.errors import TapeMissing

_OPENAI: Final = "https://api.openai.com/v1"
_BASE_URL: Final = "OPENAI_BASE_URL"
_KEYS: Final = ("OPENAI_API_KEY", "CODEX_API_KEY")


@contextmanager
def staged(choice: Choice, folder: Path, authority: Authority) -> Iterator[TapedModel]:
    """The model, while the context lasts, in which this process reaches nothing but this machine.

    ``folder`` is for files that the test may leave behind.

    Raises:
        WiretapeError: the tape cannot be replayed, or nothing can be recorded.
    """
    with ExitStack() as stack:
        refused = stack.enter_context(only_this_machine())
        stage = _recorded if choice.mode.records(choice.tape) else _replayed
        model, lead_here = stage(choice, folder, authority, stack)
        model.refused = refused
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in os.environ.keys() - lead_here.keys():
            patch.delenv(name)
        for name, value in lead_here.items():
            patch.setenv(name, value)
        patch.setenv(_BASE_URL, model.base_url)
        yield model


def _replayed(
    choice: Choice, folder: Path, authority: Authority, stack: ExitStack
) -> tuple[TapedModel, dict[str, str]]:
    if not choice.tape.exists():
        raise TapeMissing(
            f"there is no tape {choice.tape}: "
            "record it with --wiretape-record=once, for which the model itself must answer."
        )
    ca_file = folder / "wiretape-ca.pem"
    authority.write_bundle(ca_file, os.environ)
    faults = tuple(map(read_fault, choice.faults))
    pace, paced = timed(Pace(choice.factor), faults, None)
    played = Replay(
        choice.tape,
        "127.0.0.1",
        0,
        pace,
        choice.is_strict,
        sessions=frozenset(choice.sessions),
        bends=(*bends_for("recorded", choice.transport, choice.tools), *paced),
        ignored=ignored_beside([choice.tape], choice.ignore),
        faults=faults,
    )
    replay = stack.enter_context(replaying(played, folder / "wiretape-report.json", authority))
    base_url = f"{replay.url}{replay.base_path}"
    model = TapedModel(choice.tape, base_url, replay.url, ca_file, replay)
    # Nobody checks a key, but without one some clients do not even begin.
    keys = {name: os.environ.get(name) or "none" for name in _KEYS}
    return model, model.environment | keys


def _recorded(
    choice: Choice, folder: Path, authority: Authority, stack: ExitStack
) -> tuple[TapedModel, dict[str, str]]:
    base_url = choice.base_url or os.environ.get(_BASE_URL) or _OPENAI
    environment = {**os.environ, "WIRETAPE_CA_DIR": str(authority.folder)}
    recording = BackgroundRecording(choice, base_url, folder, environment)
    stack.callback(recording.end)
    model = TapedModel(choice.tape, base_url, recording.proxy, recording.ca_file, recording)
    return model, model.environment
