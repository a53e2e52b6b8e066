"""A test is recorded once, from the model itself, and replayed from then on."""

import sys

import pytest
from plugin_project import Project
from provider import Provider

from wiretape.store_reader import TapeReader

HELLO = """
import httpx

def test_hello(wiretape_replay):
    asked = {"model": "m", "input": [], "tools": [], "stream": True}
    headers = {"authorization": "Bearer sk-planted-secret"}
    answer = httpx.post(wiretape_replay.base_url + "/responses", json=asked, headers=headers)
    assert "hello" in answer.text
    wiretape_replay.assert_requests(1)
    wiretape_replay.assert_attempts("first http create completed")
    wiretape_replay.assert_as_recorded()
"""
ONCE, ALL = "--wiretape-record=once", "--wiretape-record=all"


@pytest.fixture
def project(project: Project, provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose model is where the client's own variable says."""
    monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
    return project


def test_a_tape_is_made_once_and_replayed_after(project: Project, provider: Provider) -> None:
    """The second time the model is not asked: the same test, with the same outcome."""
    project.run(HELLO, ONCE).assert_outcomes(passed=1)
    assert provider.summary == "sse"
    project.run_again(ONCE).assert_outcomes(passed=1)
    project.run_again().assert_outcomes(passed=1)
    assert provider.summary == "sse"


def test_a_tape_is_not_made_unasked(project: Project, provider: Provider) -> None:
    """A missing one is an error that says how it is made."""
    ran = project.run(HELLO)
    ran.assert_outcomes(errors=1)
    assert f"there is no tape {project.tapes / 'test_hello.db'}: record it with" in ran.stdout.str()
    assert provider.requests == []


def test_all_tapes_can_be_made_anew(project: Project, provider: Provider) -> None:
    """The one that was there is replaced."""
    project.run(HELLO, ONCE)
    before = (project.tapes / "test_hello.db").read_bytes()
    project.run_again(ALL).assert_outcomes(passed=1)
    assert provider.summary == "sse sse"
    assert (project.tapes / "test_hello.db").read_bytes() != before


def test_the_marker_says_where_the_model_is_and_when_to_record(
    project: Project, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no option is needed."""
    monkeypatch.delenv("OPENAI_BASE_URL")
    marker = f'@pytest.mark.wiretape("t.db", record="once", base_url="{provider.base_url}")'
    source = HELLO.replace("import httpx", "import httpx, pytest").replace("def", f"{marker}\ndef")
    project.run(source).assert_outcomes(passed=1)
    assert (project.folder / "t.db").exists()


def test_a_recording_holds_no_key(project: Project) -> None:
    """As every tape of wiretape's; and it names the test, but nobody's folders."""
    project.run(HELLO, ONCE)
    tape = project.tapes / "test_hello.db"
    with TapeReader(tape) as reader:
        (exchange,) = reader.exchanges()
        assert reader.label().command == '["pytest", "test_agent.py::test_hello"]'
    assert ("authorization", "[removed: authorization]") in [
        (name.lower(), value) for name, value in exchange.request.headers
    ]
    assert b"planted-secret" not in tape.read_bytes()
    assert sys.prefix.encode() not in tape.read_bytes()


def test_a_failed_test_leaves_no_tape(project: Project) -> None:
    """And keeps the one that was there."""
    project.run(HELLO + "    raise ValueError", ONCE).assert_outcomes(failed=1)
    assert not project.tapes.exists()
    project.run(HELLO, ONCE)
    before = (project.tapes / "test_hello.db").read_bytes()
    project.run(HELLO + "    raise ValueError", ALL).assert_outcomes(failed=1)
    assert [each.name for each in project.tapes.iterdir()] == ["test_hello.db"]
    assert (project.tapes / "test_hello.db").read_bytes() == before


def test_an_empty_recording_is_a_failure(project: Project) -> None:
    """A client that passed the proxy by would otherwise be replayed as one that asks nothing."""
    ran = project.run("def test_hello(wiretape_replay): pass", ONCE)
    ran.assert_outcomes(failed=1)
    assert "nothing was recorded, since no client came through the proxy" in ran.stdout.str()
    assert not project.tapes.exists()


def test_a_recording_that_does_not_begin_is_an_error(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what the recorder said."""
    monkeypatch.setenv("WIRETAPE_CA_DIR", "/proc/no-folder")
    project.run("def test_hello(wiretape_replay): pass", ONCE).assert_outcomes(errors=1)


def test_while_recording_only_the_recorder_is_reached(project: Project) -> None:
    """So a client that would not be on the tape is found out at once."""
    ran = project.run(
        """
import httpx

def test_hello(wiretape_replay):
    httpx.get("https://192.0.2.1/", trust_env=False)
""",
        ONCE,
    )
    ran.assert_outcomes(failed=1)
    assert "the test reaches for 192.0.2.1:443" in ran.stdout.str()
