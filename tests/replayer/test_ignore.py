"""``--ignore``: what does not matter is no difference, neither in matching nor in the report."""

import json
from collections.abc import Callable
from pathlib import Path

from replay_runs import URL, Ran, child, conversation
from tapes import SESSION, create

type Run = Callable[..., Ran]


def differing(text: str) -> tuple[str, str, object]:
    """A request that is as recorded, but for its tools and its effort."""
    return "POST", URL, create(text, prompt_cache_key=SESSION, tools=[], effort="high")


def test_a_replay_is_exact_without_what_is_ignored(run: Run, tape: Path, tmp_path: Path) -> None:
    """Even a strict one: every request meets its own."""
    report = tmp_path / "report.json"
    ignore = ("--ignore", "tools", "--ignore", "effort")
    client = child(differing("a"), differing("b"))
    ran = run(tape, "--strict", "--report", report, *ignore, *client)
    assert [text for _, text in ran.answers] == ["a", "b"]
    assert json.loads(report.read_text())["counts"]["exact"] == 2
    assert ran.exit_code == 0
    assert len(ran.stderr.splitlines()) == 1


def test_the_rest_still_differs(run: Run, tape: Path, tmp_path: Path) -> None:
    """Only what is named is ignored."""
    report = tmp_path / "report.json"
    run(tape, "--report", report, "--ignore", "tools", *child(differing("a"), differing("b")))
    (first, _) = json.loads(report.read_text())["different"]
    assert [each["path"] for each in first["differences"]] == ["effort"]


def test_rules_lie_beside_the_tape(run: Run, tape: Path) -> None:
    """In a file of its name; one that matched nothing is told with its line."""
    beside = tape.with_name("tape.db.ignore")
    beside.write_text("tools\neffort\ninputs  # there is no such member\n")
    ran = run(tape, "--strict", *child(differing("a"), differing("b")))
    assert ran.exit_code == 0
    assert ran.stderr.splitlines()[1:] == [
        f"wiretape: nothing was ignored by 'inputs' ({beside}, line 3): check its spelling."
    ]


def test_content_still_tells_requests_apart(run: Run, tmp_path: Path) -> None:
    """What is ignored does not decide which recorded request is meant."""
    tape = conversation("a", "b", "c").write(tmp_path / "three.db")
    client = child(differing("c"), differing("a"))
    ran = run(tape, "--ignore", "tools", "--ignore", "effort", *client)
    assert [text for _, text in ran.answers] == ["c", "a"]


def test_a_miss_is_shown_without_what_is_ignored(run: Run, tape: Path) -> None:
    """The nearest recorded request is the nearest in what counts."""
    client = child(differing("a"), differing("a"), differing("a"))
    ran = run(tape, "--ignore", "tools", "--ignore", "effort", *client)
    assert "tools" not in ran.stderr
    assert "effort" not in ran.stderr
