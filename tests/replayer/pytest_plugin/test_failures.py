"""A failed test says to a person what was expected, what happened, and where it differs."""

import json
from pathlib import Path
from typing import Any

import pytest
from plugin_project import Project
from tapes import JSON_HEADERS, Recording, answer, error_body, sse

ASK = """
import httpx, pytest

def ask(model, *texts):
    content = [{"type": "input_text", "text": text} for text in texts]
    asked = {"model": "m", "input": [{"role": "user", "content": content}], "stream": True}
    return httpx.post(model.base_url + "/responses", json=asked)
"""


@pytest.fixture
def project(project: Project) -> Project:
    """A project whose model was asked for two things; the second was tried twice."""
    item = {"role": "user", "content": [{"type": "input_text", "text": "one"}]}
    other = {"role": "user", "content": [{"type": "input_text", "text": "two"}]}
    recording = Recording()
    headers = (*JSON_HEADERS, ("accept", "*/*"), ("accept-encoding", "gzip, deflate, br, zstd"))
    asked: dict[str, Any] = {"session": None, "asked_with": headers}
    for body, status in ((item, 200), (other, 503), (other, 200)):
        recording.post(
            {"model": "m", "input": [body], "stream": True},
            sse(*answer("yes")) if status == 200 else (error_body("busy"),),
            status=status,
            **asked,
        )
    recording.write(project.folder / "tape.db")
    return project


def failure(project: Project, *lines: str, marker: str = '"tape.db"') -> list[str]:
    """What pytest prints of a failing test of the project, which says this with its model."""
    body = "".join(f"    {line}\n" for line in lines)
    ran = project.run(
        f"{ASK}\n@pytest.mark.wiretape({marker})\ndef test_ask(wiretape_replay):\n{body}"
    )
    ran.assert_outcomes(failed=1)
    said = ran.stdout.lines
    begin = next(at for at, line in enumerate(said) if line.startswith("____"))
    return said[begin + 1 : said.index(next(x for x in said[begin:] if "short test" in x))]


def errors(lines: list[str]) -> list[str]:
    """The lines in which pytest says what is wrong."""
    return [line.removeprefix("E").strip() for line in lines if line.startswith("E ")]


def test_a_difference_is_shown_at_its_path(project: Project) -> None:
    """With both values; what was not asked stands below it. It is said once."""
    lines = failure(project, 'ask(wiretape_replay, "1")', "wiretape_replay.assert_as_recorded()")
    assert errors(lines) == [
        f"replayer.pytest_plugin.taped_model.NotAsRecorded: the replay is not as "
        f"{project.folder / 'tape.db'}:",
        "asked 1 time: 0 exact, 1 different, 0 unexpected, 2 not asked, 0 blocked.",
        "different: #1 (http create), recorded as exchange 1",
        'input[0].content[0].text was "one" and is "1"',
        "not asked: http create, recorded as exchange 2",
        "not asked: http create, recorded as exchange 3",
    ]
    assert len([line for line in lines if "asked 1 time" in line]) == 1


def test_any_failure_shows_how_the_replay_went(project: Project) -> None:
    """What went wrong before is often why."""
    lines = failure(project, 'assert ask(wiretape_replay, "1").status_code == 500')
    heading = next(
        at
        for at, line in enumerate(lines)
        if line.endswith("- wiretape -----------------------------------")
    )
    assert lines[heading + 1 : heading + 5] == [
        f"replaying {project.folder / 'tape.db'}",
        "asked 1 time: 0 exact, 1 different, 0 unexpected, 2 not asked, 0 blocked.",
        "  different: #1 (http create), recorded as exchange 1",
        '    input[0].content[0].text was "one" and is "1"',
    ]


def test_all_of_a_long_report_is_in_a_file(project: Project) -> None:
    """Which the failure names."""
    lines = failure(
        project, 'ask(wiretape_replay, "x" * 1000)', "wiretape_replay.assert_as_recorded()"
    )
    (pointer,) = (line for line in errors(lines) if line.startswith("this is shortened: "))
    file = pointer.removeprefix("this is shortened: all of it is in ").rstrip(".")
    (different,) = json.loads(Path(file).read_text("utf-8"))["different"]
    assert different["differences"][0]["replayed"] == "x" * 1000


def test_a_strict_test_fails_without_being_asked_to(project: Project) -> None:
    """Its client is refused what is not as recorded; if nobody minds that, the test fails."""
    lines = failure(
        project,
        'assert ask(wiretape_replay, "1").status_code == 400',
        marker='"tape.db", strict=True',
    )
    assert 'input[0].content[0].text was "one" and is "1"' in "\n".join(lines)
    assert "Traceback" not in "\n".join(lines)


def test_requests_are_counted_without_their_retries(project: Project) -> None:
    """The message lists every attempt."""
    lines = failure(
        project,
        'ask(wiretape_replay, "two")',
        'ask(wiretape_replay, "two")',
        "wiretape_replay.assert_requests(2)",
    )
    assert errors(lines) == [
        "AssertionError: 2 requests expected, 1 made:",
        "first http create http_error",
        "retry http create completed",
    ]


def test_attempts_are_shown_beside_those_expected(project: Project) -> None:
    """As lines that were, and lines that ought to have been."""
    lines = failure(
        project,
        'ask(wiretape_replay, "two")',
        'ask(wiretape_replay, "two")',
        'expected = "first http create http_error", "fallback http create completed"',
        "wiretape_replay.assert_attempts(*expected)",
    )
    assert errors(lines) == [
        "AssertionError: the attempts are not those expected (- expected, + made):",
        "first http create http_error",
        "- fallback http create completed",
        "+ retry http create completed",
    ]


def test_a_missing_fallback_is_said(project: Project) -> None:
    """With what was tried instead."""
    lines = failure(project, 'ask(wiretape_replay, "one")', "wiretape_replay.assert_fallback()")
    assert errors(lines) == [
        "AssertionError: no fallback was made:",
        "first http create completed",
    ]


def test_a_marker_that_cannot_be_read_is_an_error(project: Project) -> None:
    """In one sentence, without a traceback."""
    ran = project.run(
        """
import pytest
from typing import Any

@pytest.mark.wiretape("tape.db", stirct=True)
def test_ask(): ...
"""
    )
    ran.assert_outcomes(errors=1)
    said = ran.stdout.str()
    assert "@pytest.mark.wiretape of test_ask cannot be read" in said
    assert "Traceback" not in said and "During handling" not in said


def test_the_plugin_tells_what_it_has(project: Project) -> None:
    """The option, the marker and the fixture are among those that pytest lists."""
    said = project.run("", "--help").stdout.str()
    assert "--wiretape-record={none,once,all}" in said
    assert "@pytest.mark.wiretape(tape=None" in project.run_again("--markers").stdout.str()
    assert "wiretape_replay" in project.run_again("--fixtures").stdout.str()
