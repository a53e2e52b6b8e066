"""``wiretape verify``: what it prints, and its exit codes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from codex_tapes import HELLO, OLD, SAID, answer, asked, created, failed, post
from tapes import CUT, LEFT, OTHER_SESSION, SESSION, Recording, sse

from wiretape.cli import main

type Verify = Callable[..., tuple[int, str, str]]


@pytest.fixture
def verify(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verify:
    """Runs the command on a recording, or on a file: exit code, stdout, stderr."""

    def run(recording: Recording | Path, *options: str) -> tuple[int, str, str]:
        tape = recording
        if isinstance(recording, Recording):
            tape = recording.write(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        with pytest.raises(SystemExit) as exit_:
            main(["verify", str(tape), *options])
        said = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return exit_.value.code, said.out, said.err

    return run


ASSUMED = "assuming stream_max_retries = 5, request_max_retries = 4"


def healthy() -> Recording:
    """A question and its answer."""
    recording = Recording()
    post(recording, (HELLO,), answer(SAID))
    return recording


def wrong() -> Recording:
    """A stream fails, and nobody tries again."""
    recording = Recording()
    post(recording, (HELLO,), (created(), failed()))
    return recording


def test_equal_is_exit_code_0(verify: Verify) -> None:
    """The verdict, and what it rests on."""
    assert verify(healthy()) == (
        0,
        f"session {SESSION}: equal\n  1 act of 1, 5 steps, {ASSUMED}\n",
        "",
    )


def test_a_divergence_is_exit_code_1(verify: Verify) -> None:
    """Where it is, and both sides of it."""
    assert verify(wrong()) == (
        1,
        f"session {SESSION}: diverges\n"
        "  exchange 1, event 2, at 0.060000 s\n"
        "    recorded:   nothing more was recorded\n"
        "    documented: asks over HTTP\n"
        f"  1 act of 1, 4 steps, {ASSUMED}\n",
        "",
    )


def test_another_client_is_said_so_and_is_no_failure(verify: Verify) -> None:
    """The documents do not say what it should have done."""
    recording = Recording()
    headers = (("user-agent", "OpenAI/Python 2.0.0"),)
    recording.post(asked(HELLO), sse(created()), CUT, session=None, asked_with=headers)
    assert verify(recording) == (
        0,
        "session unnamed: not comparable\n"
        "  its client (OpenAI/Python 2.0.0) is not the one that is documented\n"
        "  hold the tape against it itself: wiretape replay TAPE -- COMMAND\n",
        "",
    )


def test_a_client_without_a_name_can_be_given_one(verify: Verify) -> None:
    """As in a script that was written by hand."""
    recording = Recording()
    recording.post(asked(HELLO), sse(created()), CUT, session=None)
    assert verify(recording) == (
        0,
        "session unnamed: not comparable\n"
        "  its requests name no client: give them one, like `user-agent: codex_exec/0.99.0`\n",
        "",
    )


def test_a_recording_that_ends_early_says_up_to_where(verify: Verify) -> None:
    """A verdict on a part says on which."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), LEFT)
    code, out, _ = verify(recording)
    assert code == 0
    assert out.endswith("\n  up to where the recorded client hung up in the middle of an answer\n")


def test_a_compaction_and_gaps_are_said(verify: Verify) -> None:
    """What the verdict does not speak of."""
    recording = healthy()
    recording.post(asked(), (b"{}",), path="/responses/compact", asked_with=OLD)
    recording.gap(None)
    code, out, _ = verify(recording)
    assert code == 0
    assert out.splitlines()[-2:] == [
        "  up to the compaction at 0.080000 s",
        "the recording has 1 gap: what was lost may be missed here",
    ]


def test_a_request_asked_otherwise_is_named(verify: Verify) -> None:
    """It is no divergence: the same was asked, in another way."""
    recording = Recording()
    post(recording, (HELLO,), (created(), failed()))
    recording.post(asked(HELLO, tools=[{"name": "new"}]), sse(*answer(SAID)), asked_with=OLD)
    code, out, _ = verify(recording)
    assert code == 0
    assert "  asked otherwise than in exchange 2: " in out
    assert "tools[0]" in out


def test_a_tape_without_responses_says_so(verify: Verify) -> None:
    """There is nothing to hold against anything."""
    recording = Recording()
    recording.get("/models", b"{}")
    assert verify(recording) == (0, "no session asks for a response\n", "")


def test_one_session_can_be_chosen(verify: Verify) -> None:
    """A start of its id is enough; one that is not there is a sentence."""
    recording = wrong()
    recording.post(asked(HELLO), sse(*answer(SAID)), session=OTHER_SESSION, asked_with=OLD)
    assert verify(recording)[0] == 1
    code, out, _ = verify(recording, "--session", OTHER_SESSION[:13])
    assert (code, out.splitlines()[0]) == (0, f"session {OTHER_SESSION}: equal")
    code, out, err = verify(recording, "--session", "nobody")
    assert (code, out) == (2, "")
    assert "has no session 'nobody': `wiretape ls " in err


@pytest.mark.parametrize("content", [None, b"", b"not a tape"])
def test_a_file_that_is_no_tape_is_exit_code_3(
    content: bytes | None, tmp_path: Path, verify: Verify
) -> None:
    """Missing, empty or foreign: one sentence."""
    path = tmp_path / "bad.db"
    if content is not None:
        path.write_bytes(content)
    code, out, err = verify(path)
    assert (code, out, len(err.splitlines())) == (3, "", 1)


def test_the_json_says_the_same(verify: Verify) -> None:
    """Verdicts, places, what was assumed, and how each request met the recording."""
    recording = wrong()
    recording.post(asked(HELLO), sse(*answer(SAID)), session=OTHER_SESSION, asked_with=OLD)
    code, out, _ = verify(recording, "--json")
    found: dict[str, Any] = json.loads(out)
    assert (code, found["gaps"]) == (1, 0)
    one, other = found["sessions"]
    assert one | {"requests": None} == {
        "id": SESSION,
        "client": "codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown",
        "verdict": "diverges",
        "divergence": {
            "place": {"exchange": 1, "message": None, "event": 2, "at_us": 60_000},
            "recorded": "nothing more was recorded",
            "documented": "asks over HTTP",
        },
        "acts": 1,
        "compacted_at_us": None,
        "assumed": {
            "supports_websockets": False,
            "stream_max_retries": 5,
            "request_max_retries": 4,
        },
        "acts_explained": 1,
        "steps": 4,
        "printed": ["Reconnecting... 1/5 (stream disconnected before completion: boom)"],
        "cut": None,
        "requests": None,
    }
    assert (other["verdict"], other["divergence"]) == ("equal", None)
    assert [each["verdict"] for each in other["requests"]] == ["exact"]
