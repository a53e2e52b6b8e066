"""``wiretape export``: files, refusals, exit codes; and scripts in the place of tapes."""

import json
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from replay_runs import Ran, asking, conversation
from small_disk import small_disk
from tapes import OTHER_SESSION, SESSION, Recording, answer, create, sse

from wiretape.store_reader import TapeReader
from wiretape.store_recording import read_recording

type Export = Callable[..., Ran]


@pytest.fixture
def export(command: Callable[..., Ran]) -> Export:
    """Runs ``wiretape export`` with these arguments, in this process."""
    return partial(command, "export")


def two_sessions() -> Recording:
    some = Recording()
    for session in (SESSION, OTHER_SESSION):
        some.post(create("hi"), sse(*answer("hello")), session=session)
    some.get("/models", b"[]")
    return some


def test_a_script_is_the_tape(export: Export, tmp_path: Path) -> None:
    """It is read as one, gives the same facts, and is the same each time; nobody else may read
    it."""
    tape = two_sessions().write(tmp_path / "tape.db")
    one, two = tmp_path / "one.script", tmp_path / "two.script"
    assert export(tape, "--to", "script", "-o", one) == Ran(0, "", "")
    assert export(one, "--to", "script", "-o", two) == Ran(0, "", "")
    assert one.read_text() == two.read_text()
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    with TapeReader(tape) as reader, TapeReader(one) as again:
        assert read_recording(again) == read_recording(reader)


def test_a_full_disk_leaves_nothing_behind(export: Export, tmp_path: Path) -> None:
    """None of several files, so that the same command may be given again."""
    tape = two_sessions().write(tmp_path / "tape.db")
    # There is a page for the first file, and none for the second.
    with small_disk(tmp_path / "disk", 8192) as disk:
        (disk / "other").write_bytes(b"x" * 4096)
        ran = export(tape, "--to", "fixture", "-o", disk / "out.sse")
        assert [each.name for each in disk.iterdir()] == ["other"]
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[-1] == (
        f"wiretape: {disk / 'out-2.sse'} cannot be written (No space left on device): choose "
        "another place with -o."
    )


def test_one_session_is_chosen(export: Export, tmp_path: Path) -> None:
    """With the side requests, which any session may need."""
    tape = two_sessions().write(tmp_path / "tape.db")
    script = tmp_path / "one.script"
    export(tape, "--to", "script", "--session", OTHER_SESSION, "-o", script)
    with TapeReader(script) as reader:
        assert [each.id for each in reader.exchanges()] == [2, 3]


def test_a_session_that_is_not_there(export: Export, tmp_path: Path) -> None:
    """Nothing is written."""
    tape = two_sessions().write(tmp_path / "tape.db")
    ran = export(tape, "--to", "script", "--session", "x", "-o", tmp_path / "x.script")
    assert (ran.exit_code, ran.stderr) == (
        2,
        f"wiretape: {tape} has no session 'x': `wiretape ls {tape}` lists its sessions.\n",
    )
    assert not (tmp_path / "x.script").exists()


def test_answers_are_numbered(export: Export, tmp_path: Path) -> None:
    """A fixture holds one; what plays them all is named."""
    tape = two_sessions().write(tmp_path / "tape.db")
    ran = export(tape, "--to", "fixture", "-o", tmp_path / "a.sse")
    assert ran.exit_code == 0
    assert ran.stderr == (
        f"wiretape: a fixture holds one answer, and these are 2: {tmp_path}/a-1.sse to "
        f"{tmp_path}/a-2.sse. `wiretape replay {tape} --via fixture -- COMMAND` gives them one "
        "after the other.\n"
    )
    assert (tmp_path / "a-1.sse").read_text() == (tmp_path / "a-2.sse").read_text()
    assert not (tmp_path / "a.sse").exists()


def test_one_answer_has_the_name_that_is_given(export: Export, tmp_path: Path) -> None:
    """Its events are what was recorded."""
    tape = two_sessions().write(tmp_path / "tape.db")
    export(tape, "--to", "fixture", "--session", SESSION, "-o", tmp_path / "a.sse")
    lines = (tmp_path / "a.sse").read_text().splitlines()
    assert [json.loads(line.removeprefix("data: ")) for line in lines] == list(answer("hello"))


def test_what_cannot_be_held_is_refused(export: Export, tmp_path: Path) -> None:
    """With what it is, and what to do; with ``--lossy`` it is said and left out."""
    some = two_sessions()
    some.post(create("hi"), (b"busy",), status=429)
    tape = some.write(tmp_path / "tape.db")
    refused = export(tape, "--to", "fixture", "-o", tmp_path / "a.sse")
    assert (refused.exit_code, refused.stderr) == (
        1,
        "wiretape: a fixture cannot hold the status 429 (exchange 4): `--lossy` writes what "
        "there is, `--to script` all of it.\n",
    )
    lossy = export(tape, "--to", "fixture", "--lossy", "-o", tmp_path / "a.sse")
    assert lossy.exit_code == 0
    assert lossy.stderr.startswith("wiretape: a fixture cannot hold the status 429 (exchange 4).\n")
    assert sorted(path.name for path in tmp_path.glob("a*")) == ["a-1.sse", "a-2.sse"]


def test_nothing_is_overwritten(export: Export, tmp_path: Path) -> None:
    """Not one of several files either; and then none is written."""
    tape = two_sessions().write(tmp_path / "tape.db")
    (tmp_path / "a-2.sse").write_text("mine")
    ran = export(tape, "--to", "fixture", "-o", tmp_path / "a.sse")
    assert (ran.exit_code, ran.stderr) == (
        2,
        f"wiretape: {tmp_path}/a-2.sse exists already: choose another name or remove it first.\n",
    )
    assert not (tmp_path / "a-1.sse").exists()


def test_the_command_that_plays_answers_has_the_same_options(
    export: Export, tmp_path: Path
) -> None:
    """Else it would play something else."""
    some = two_sessions()
    some.post(create("again"), sse(*answer("hello")))
    tape = some.write(tmp_path / "my tape.db")
    options = ("--session", SESSION, "--transport", "sse", "--tools", "recorded")
    ran = export(tape, "--to", "fixture", *options, "-o", tmp_path / "a.sse")
    assert (
        f"`wiretape replay '{tape}' --session {SESSION} --transport sse --tools recorded "
        "--via fixture -- COMMAND`"
    ) in ran.stderr


def test_a_folder_that_is_not_there(export: Export, tmp_path: Path) -> None:
    """It is made, as for the tape of a recording."""
    tape = two_sessions().write(tmp_path / "tape.db")
    place = tmp_path / "new" / "folder" / "a.script"
    ran = export(tape, "--to", "script", "-o", place)
    assert (ran.exit_code, ran.stderr) == (0, "")
    assert place.read_text().startswith("# A script of wiretape")


def test_a_script_is_replayed_as_its_tape_is(
    run: Callable[..., Ran], export: Export, tape: Path, tmp_path: Path
) -> None:
    """The same answers to the same requests, all of them exact."""
    script = tmp_path / "one.script"
    export(tape, "--to", "script", "--stable", "-o", script)
    ran = run(script, *asking("a", "b"))
    assert ran.answers == run(tape, *asking("a", "b")).answers
    assert "asked 2 times: 2 exact" in ran.stderr


def test_ten_lines_by_hand_are_replayed(run: Callable[..., Ran], tmp_path: Path) -> None:
    """What a script does not say of a request is no difference."""
    script = tmp_path / "hand.script"
    script.write_text(
        "wiretape_script: 1\nexchanges:\n- request: POST /v1/responses\n  steps:\n  - chunk: a\n"
    )
    ran = run(script, "--strict", *asking("whatever"))
    assert ran.answers == [[200, "a"]]
    assert ran.exit_code == 0


def test_sessions_do_not_mix_through_a_fixture(run: Callable[..., Ran], tmp_path: Path) -> None:
    """The hook does not tell who asks."""
    tape = two_sessions().write(tmp_path / "tape.db")
    ran = run(tape, "--via", "fixture", *asking("a"))
    assert (ran.exit_code, ran.stderr) == (
        1,
        f"wiretape: {tape} holds 2 sessions, and the hook does not tell which one asks: choose "
        "one with --session, or use --via proxy.\n",
    )


def test_conversations_have_scripts_too(export: Export, tmp_path: Path) -> None:
    """Of a tape without anything a fixture could hold, the script holds all."""
    tape = conversation().write(tmp_path / "empty.db")
    assert export(tape, "--to", "script", "-o", tmp_path / "a.script").exit_code == 0
    assert export(tape, "--to", "fixture", "-o", tmp_path / "a.sse").exit_code == 1


def test_a_tape_of_a_bent_recording_is_told(
    run: Callable[..., Ran], tape: Path, tmp_path: Path
) -> None:
    """It is not like the recording: what it is like, a command writes."""
    output = tmp_path / "replay.db"
    ran = run(tape, "--tools", "recorded", "-o", output, *asking("a", "b"))
    assert (
        f"wiretape: {output} holds what was replayed, which is not {tape}: compare it with what "
        f"`wiretape export {tape} --tools recorded --to script -o FILE` writes.\n"
    ) in ran.stderr
    assert (
        "holds what was replayed" not in run(tape, "-o", tmp_path / "two.db", *asking("a")).stderr
    )
