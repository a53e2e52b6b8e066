"""``wiretape versions`` with clients that have something of Codex."""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from replay_runs import Ran
from tapes import Recording, answer, create, sse

from wiretape.commands.summary import PAST_US

CLIENT = """\
#!{python}
import json, os, sys, tomllib, urllib.request
with open(os.environ["CODEX_HOME"] + "/config.toml", "rb") as file:
    config = tomllib.load(file)
provider = config["model_providers"][config["model_provider"]]
item = {{"role": "user", "content": sys.argv[-1]}}
for _ in range({times}):
    asked = urllib.request.Request(
        provider["base_url"] + "/responses",
        json.dumps({{"model": config["model"], "input": [item]}}).encode(),
    )
    with urllib.request.urlopen(asked, timeout=20) as response:
        text = "Hello." if "Hello." in response.read().decode() else "Nothing."
    said = {{"type": "item.completed", "item": {{"type": "agent_message", "text": text}}}}
    print(json.dumps(said))
print(os.listdir(), sorted(os.environ.keys() & {{"SECRET", "WIRETAPE_KEY"}}), file=sys.stderr)
"""

type Versions = Callable[..., Ran]


@pytest.fixture
def versions(command: Callable[..., Ran]) -> Versions:
    """Runs ``wiretape versions`` with these arguments, in this process."""
    return partial(command, "versions")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    some = Recording(scheme="http", port=80)
    some.post(create("Say hello."), sse(*answer("Hello.")))
    return some.write(tmp_path / "tape.db")


def client(folder: Path, times: int) -> Path:
    """A client that asks so often."""
    path = folder / f"asks-{times}"
    path.write_text(CLIENT.format(python=sys.executable, times=times))
    path.chmod(0o755)
    return path


def test_each_version_has_a_column(versions: Versions, tape: Path, tmp_path: Path) -> None:
    """How it ended, what it said last, and where it diverges from what was recorded."""
    asks, never = client(tmp_path, 1), client(tmp_path, 0)
    ran = versions(tape, "--json", "--", asks, never)
    assert ran.exit_code == 1
    first, second = json.loads(ran.stdout)["versions"]
    assert first.pop("took_s") > 0
    assert first.pop("first_difference").startswith("headers.")
    assert first == {
        "version": str(asks),
        "exit_code": 0,
        "final_message": "Hello.",
        "attempts": 1,
        "retries": 0,
        "fallbacks": 0,
        "exact": 0,
        "different": 1,
        "unexpected": 0,
        "not_asked": 0,
        "trouble": None,
    }
    assert (second["attempts"], second["not_asked"], second["final_message"]) == (
        0,
        1,
        "[] ['WIRETAPE_KEY']",
    )


def test_the_table_has_a_line_for_each_fact(versions: Versions, tape: Path, tmp_path: Path) -> None:
    """And a column for each version; below it what is long, and the paths by their numbers."""
    asks = client(tmp_path, 1)
    ran = versions(tape, "--", asks, asks)
    lines = {line.split("  ")[0]: line.split()[-2:] for line in ran.stdout.splitlines()[1:]}
    assert ran.stdout.splitlines()[0].split() == ["[1]", "[2]"]
    assert {name: lines[name] for name in ("attempts", "different")} == {
        "attempts": ["1", "1"],
        "different": ["1", "1"],
    }
    assert "\n\nfinal message\n  [1]  Hello.\n  [2]  Hello.\n\nfirst difference\n" in ran.stdout
    assert ran.stdout.endswith(f"\n\n[1] is {asks}\n[2] is {asks}\n")


def test_what_asks_for_nothing_is_told(versions: Versions, tape: Path, tmp_path: Path) -> None:
    """It may be no Codex: its exit code alone says that all is well."""
    asks, never = client(tmp_path, 1), client(tmp_path, 0)
    ran = versions(tape, "--", asks, never)
    assert ran.stderr.splitlines() == [
        f"wiretape: {never} asked for nothing: is it a Codex, and does it run here? {PAST_US}"
    ]


def test_a_version_that_cannot_be_had_is_told(
    versions: Versions, tape: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one sentence; the others run all the same."""
    monkeypatch.setenv("WIRETAPE_CODEX_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = versions(tape, "--json", "--", "1.2.3", client(tmp_path, 1))
    first, second = json.loads(ran.stdout)["versions"]
    sentence = (
        "Codex 1.2.3 comes from npm, which is not installed: install npm, "
        "or do without the real client"
    )
    assert (first["exit_code"], first["trouble"]) == (None, sentence)
    assert second["final_message"] == "Hello."
    assert (ran.exit_code, ran.stderr) == (1, f"wiretape: {sentence}.\n")


def test_a_tape_without_a_prompt_needs_one(versions: Versions, tmp_path: Path) -> None:
    """Nothing is guessed."""
    some = Recording()
    some.post({"model": "m", "input": []})
    tape = some.write(tmp_path / "tape.db")
    ran = versions(tape, "--", "1.2.3")
    assert (ran.exit_code, ran.stderr) == (
        2,
        f"wiretape: {tape} does not tell what the user asked: say it with --prompt, on a tape "
        "that holds a request to a model.\n",
    )
