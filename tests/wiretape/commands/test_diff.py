"""``wiretape diff``: what it prints, and its exit code."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tapes import OTHER_SESSION, SESSION, Recording, answer, asks, create, says, sse, wants

from wiretape.cli import main

type Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def diff(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command; gives exit code, output and talk."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as left:
            main(["diff", *map(str, arguments)])
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    return run


@pytest.fixture
def tapes(tmp_path: Path) -> tuple[Path, Path]:
    """Two tapes that part in the second of two requests."""
    found = []
    for name, words in (("a", "two"), ("b", "2")):
        recording = Recording()
        recording.post(create("one"), sse(*answer("A")))
        recording.post(create("one", words, effort=name), sse(*answer("B")))
        found.append(recording.write(tmp_path / f"{name}.db"))
    return found[0], found[1]


def test_equal_sessions_are_said_to_be(diff: Run, tapes: tuple[Path, Path]) -> None:
    """With their size; the exit code is 0."""
    code, out, err = diff(tapes[0], tapes[0])
    assert (code, err) == (0, "")
    assert out == f"session {SESSION}\n  equal, 2 requests, 2 attempts, 6 events.\n"


def test_the_first_place_where_they_part_is_on_top(diff: Run, tapes: tuple[Path, Path]) -> None:
    """Turn, request and exchange, then each path with both values; the exit code is 1."""
    code, out, _ = diff(*tapes)
    assert code == 1
    assert out.splitlines() == [
        f"session {SESSION}",
        "  turn 2, request 2 (exchange 2)",
        '    input[1].content[0].text was "two" and is "2"',
        '    effort was "a" and is "b"',
        "  2 differences, in 1 place.",
    ]


def test_machines_get_whole_values(diff: Run, tapes: tuple[Path, Path]) -> None:
    """With the place on both tapes."""
    code, out, _ = diff("--json", *tapes)
    document = json.loads(out)
    place = {"turn": 2, "request": 2, "exchange": 2, "message": None}
    assert code == 1
    assert document["equal"] is False
    assert document["sessions"][0]["divergences"][0] == {
        "path": "input[1].content[0].text",
        "change": "changed",
        "a": "two",
        "b": "2",
        "at": {"a": place, "b": place},
    }


def test_places_can_be_ignored(diff: Run, tapes: tuple[Path, Path]) -> None:
    """On the command line and in a file beside either tape; one that matched nothing is told."""
    beside = tapes[1].with_name("b.db.ignore")
    beside.write_text("# how hard it thinks\neffort\ntolls\n")
    code, out, err = diff(*tapes, "--ignore", "input[*].content")
    assert (code, out.splitlines()[1]) == (0, "  equal, 2 requests, 2 attempts, 6 events.")
    assert err == (
        f"wiretape: nothing was ignored by 'tolls' ({beside}, line 3): check its spelling.\n"
    )


def test_what_is_left_out_is_named(diff: Run, tmp_path: Path) -> None:
    """Though the sessions count as equal."""
    tapes = []
    for name in ("a", "b"):
        recording = Recording()
        agent = (("user-agent", name), ("content-type", "application/json"))
        recording.post(create("hi"), sse(*answer("A")), asked_with=agent)
        tapes.append(recording.write(tmp_path / f"{name}.db"))
    code, out, _ = diff(*tapes)
    assert code == 0
    assert out.splitlines()[-1] == "  left out, though it differs: headers.user-agent."


@pytest.fixture
def two_sessions(tmp_path: Path) -> Path:
    """A tape with two sessions."""
    recording = Recording()
    recording.post(create("one"), sse(*answer("A")), session=SESSION)
    recording.post(create("two"), sse(*answer("B")), session=OTHER_SESSION)
    return recording.write(tmp_path / "two.db")


@pytest.fixture
def one_session(tmp_path: Path) -> Path:
    """A tape with one session, which begins as the second one there."""
    recording = Recording()
    recording.post(create("two"), sse(*answer("B")), session="01990000-cccc-7000-8000-3")
    return recording.write(tmp_path / "one.db")


def test_sessions_that_belong_together_are_compared(diff: Run, two_sessions: Path) -> None:
    """Each with its own, where a tape has several."""
    code, out, _ = diff(two_sessions, two_sessions)
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("session")] == [
        f"session {SESSION}",
        f"session {OTHER_SESSION}",
    ]


def test_a_session_of_its_own_is_a_difference(
    diff: Run, two_sessions: Path, one_session: Path
) -> None:
    """It is named, with the tape that has it; the other two belong together by their words."""
    code, out, _ = diff(two_sessions, one_session)
    assert code == 1
    assert out.splitlines() == [
        f"session {OTHER_SESSION} and session 01990000-cccc-7000-8000-3",
        "  equal, 1 request, 1 attempt, 3 events.",
        "  left out, though it differs: headers.session_id.",
        f"session {SESSION} is only on {two_sessions}, 1 request, 1 attempt, 3 events.",
    ]
    document = json.loads(diff("--json", one_session, two_sessions)[1])
    assert (document["only_a"], document["only_b"]) == ([], [SESSION])


def test_sessions_can_be_chosen(diff: Run, two_sessions: Path, one_session: Path) -> None:
    """On either side, also of one tape; the others then do not count."""
    assert diff(two_sessions, one_session, "--session", OTHER_SESSION[:13])[0] == 0
    assert diff(one_session, two_sessions, "--session-b", OTHER_SESSION)[0] == 0
    code, out, _ = diff(
        two_sessions, two_sessions, "--session", SESSION, "--session-b", OTHER_SESSION
    )
    assert code == 1
    assert out.splitlines()[0] == f"session {SESSION} and session {OTHER_SESSION}"


def test_an_unknown_session_is_refused(diff: Run, two_sessions: Path) -> None:
    """As every command does."""
    code, out, err = diff(two_sessions, two_sessions, "--session-b", "nobody")
    assert (code, out) == (2, "")
    assert "has no session 'nobody'" in err


def test_nothing_to_compare_is_said(diff: Run, tmp_path: Path) -> None:
    """Two empty tapes are equal, but nobody asks for that."""
    tape = Recording().write(tmp_path / "empty.db")
    code, out, err = diff(tape, tape)
    assert (code, out) == (0, "")
    assert err == (
        f"wiretape: neither {tape} nor {tape} holds a session: there is nothing to compare.\n"
    )


def test_an_unreadable_file_of_rules_is_refused(diff: Run, tapes: tuple[Path, Path]) -> None:
    """Nothing is compared by rules that nobody has read."""
    tapes[0].with_name("a.db.ignore").write_bytes(b"\xff\n")
    code, out, err = diff(*tapes)
    assert (code, out) == (2, "")
    assert "a.db.ignore cannot be read" in err


def test_another_transport_is_told_once(diff: Run, tmp_path: Path) -> None:
    """The same over both is equal: the exit code is 0."""
    http, socket = Recording(), Recording()
    http.post(create("one"), sse(*answer("A")))
    socket.socket(wants(asks("one")), says(*answer("A")))
    code, out, _ = diff(http.write(tmp_path / "a.db"), socket.write(tmp_path / "b.db"))
    assert code == 0
    assert out.splitlines() == [
        f"session {SESSION}",
        "  equal, 1 request, 1 attempt, 3 events.",
        "  over other transports: A http (1 attempt); B websocket (1 attempt).",
        "  left out, though it differs: transport.",
    ]
