"""Command lines by which something happens again."""

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from timed_tapes import BEGAN_US, TapeMaker, ask, completed, created, delta, session

from inspector_web.offered import FAULTS
from replayer.faults.actions import Over, Where
from replayer.faults.spec import read_fault
from wiretape.cli import wiretape
from wiretape.store_writer import TapeLabel

type Browse = Callable[..., FlaskClient]

POST = "/tapes/fallback/sessions/1/again?request=1&attempt=3"


@pytest.fixture
def client(both: Path, browse: Browse) -> FlaskClient:
    """A browser with two tapes."""
    return browse(both)


def twin(client: FlaskClient, address: str) -> Any:
    answer = client.get(address.replace("/again", "/again.json"))
    assert answer.status_code == 200, answer.text
    return json.loads(answer.text)


def kept(tape: Path, ending: str = ".db") -> str:
    """What a line makes of its tape: a file beside it, called by the second."""
    return f"{tape.with_suffix('')}-replay-$(date +%Y%m%dT%H%M%S){ending}"


def lines(page: Any, title: str) -> list[str]:
    """The command lines of one group."""
    (group,) = [each for each in page["groups"] if each["title"] == title]
    return [each["line"] for each in group["commands"]]


def test_a_session_again(client: FlaskClient, fallback: Path) -> None:
    """To the recorded command; the tape by its whole path."""
    found = lines(twin(client, "/tapes/fallback/sessions/1/again"), "This session")
    assert found[0] == f"wiretape replay {fallback} -o {kept(fallback)} -- codex exec"
    assert found[1] == f"wiretape replay {fallback} --speed 1 -o {kept(fallback)} -- codex exec"


def test_fixtures_are_offered_with_what_they_lack_left_out(
    client: FlaskClient, tmp_path: Path
) -> None:
    """The line can be run and the link followed, also where no fixture can hold all of it."""
    found = lines(twin(client, "/tapes/fallback/sessions/1/again"), "As a file")
    (line,) = [each for each in found if "--to fixture" in each]
    arguments = [
        each.replace("fallback.sse", str(tmp_path / "f.sse")) for each in shlex.split(line)
    ]
    result = CliRunner().invoke(wiretape, arguments[1:])
    assert result.exit_code == 0, result.output
    page = client.get("/tapes/fallback/sessions/1/again").text
    links = re.findall(r'href="([^"]+/fixture[^"]*)"', page)
    assert [client.get(each).status_code for each in links] == [200]


def test_a_request_again(client: FlaskClient, fallback: Path) -> None:
    """At the server that it was recorded from."""
    assert lines(twin(client, POST), "This request") == [
        f"wiretape resend {fallback} --request 1 --to https://api.openai.com"
    ]


def test_a_fault_at_an_attempt(client: FlaskClient, fallback: Path) -> None:
    """Over HTTP it can be answered with another status."""
    page = twin(client, POST)
    assert page["fault_at"] == "1#3"
    found = lines(page, "With a fault here")
    assert (
        f"wiretape replay {fallback} --fault '1#3:status=500' -o {kept(fallback)} -- codex exec"
        in found
    )
    assert not any("close=" in line for line in found)


def test_a_fault_at_an_event(client: FlaskClient) -> None:
    """Events are counted within the answer, from 1, whatever crossed before it."""
    page = twin(client, f"{POST}&event=5")
    assert (page["event"], page["fault_at"]) == ("4", "1#3.4")
    second = twin(client, "/tapes/rounds/sessions/1/again?request=2&event=10")
    assert second["fault_at"] == "2.2"


def test_an_event_of_another_answer_is_refused(client: FlaskClient) -> None:
    """A fault there would hit something else."""
    for event in ("0", "3", "99"):
        address = f"/tapes/rounds/sessions/1/again.json?request=2&event={event}"
        assert client.get(address).status_code == 404


def several(folder: Path, command: str | None, *parents: str | None) -> Path:
    """A tape of sessions with these parents, s-1 and so on, of which one command made all."""
    tape = folder / "several.db"
    maker = TapeMaker(tape, label=TapeLabel("record", BEGAN_US, "monotonic", command))
    for number, parent in enumerate(parents, start=1):
        kin = () if parent is None else (("x-codex-parent-thread-id", parent),)
        headers = (*session(f"s-{number}"), *kin)
        post = maker.post(100 * number, ask(f"Question {number}"), headers)
        post.answer(100 * number + 1, created(), delta(), completed())
    maker.write()
    return tape


def test_of_several_sessions_one_is_named(folder: Path, browse: Browse) -> None:
    """By its id, and its faults by its number, where somebody names a command that makes it."""
    tape = several(folder, None, None, None)
    page = twin(browse(), "/tapes/several/sessions/2/again?request=1")
    assert page["fault_at"] == "2/1"
    assert not page["is_command_known"]
    found = lines(page, "This session")
    assert found[0] == f"wiretape replay {tape} --session s-2 -o {kept(tape)} -- COMMAND"
    assert f"wiretape verify {tape} --session s-2" in found


def test_a_command_that_made_several_sessions_gets_all_of_them(
    folder: Path, browse: Browse
) -> None:
    """It makes them all again; only one of them takes another command."""
    tape = several(folder, '["sh", "-c", "both"]', None, None)
    page = twin(browse(), "/tapes/several/sessions/2/again?request=1")
    assert page["made_together"] == 2
    found = lines(page, "This session")
    assert found[:3] == [
        f"wiretape replay {tape} -o {kept(tape)} -- sh -c both",
        f"wiretape replay {tape} --speed 1 -o {kept(tape)} -- sh -c both",
        f"wiretape replay {tape} --strict --report {kept(tape, '.json')} -o {kept(tape)} "
        "-- sh -c both",
    ]
    assert found[3] == f"wiretape replay {tape} --session s-2 -o {kept(tape)} -- COMMAND"
    assert f"wiretape replay {tape} --fault 2/1:status=500 -o {kept(tape)} -- sh -c both" in lines(
        page, "With a fault here"
    )
    assert f"wiretape resend {tape} --session s-2 --request 1 --to https://api.openai.com" in lines(
        page, "This request"
    )


def test_what_made_it_and_its_sub_agents_go_together(folder: Path, browse: Browse) -> None:
    """Nobody starts a sub-agent alone; where they are all of the tape, none is named."""
    tape = several(folder, None, None, "s-1", None)
    for number in (1, 2):
        page = twin(browse(), f"/tapes/several/sessions/{number}/again")
        assert lines(page, "This session")[0] == (
            f"wiretape replay {tape} --session s-1 --session s-2 -o {kept(tape)} -- COMMAND"
        )


def test_a_session_and_its_sub_agent_are_the_whole_tape(folder: Path, browse: Browse) -> None:
    """Then there is no other session to leave out."""
    tape = several(folder, '["codex", "exec"]', None, "s-1")
    found = lines(twin(browse(), "/tapes/several/sessions/2/again"), "This session")
    assert [each for each in found if "replay" in each and "--session" in each] == []
    assert found[0] == f"wiretape replay {tape} -o {kept(tape)} -- codex exec"


def test_what_was_taken_out_of_the_command_has_to_be_put_back(folder: Path, browse: Browse) -> None:
    """A line that holds a placeholder is told to."""
    several(folder, '["client", "--api-key", "[removed]"]', None)
    assert "in the place of <code>[removed]</code>" in (
        browse().get("/tapes/several/sessions/1/again").text
    )


def test_each_file_has_a_name_of_its_own(client: FlaskClient) -> None:
    """All lines can be run in one folder."""
    found = lines(twin(client, "/tapes/fallback/sessions/1/again"), "As a file")
    assert [shlex.split(each)[-1] for each in found] == [
        "fallback.script",
        "fallback.stable.script",
        "fallback.sse",
    ]


def test_a_stall_is_over_in_seconds(client: FlaskClient, fallback: Path) -> None:
    """Codex itself waits for minutes."""
    found = lines(twin(client, f"{POST}&event=5"), "With a fault here")
    assert (
        f"wiretape replay {fallback} --fault '1#3.4:stall' --longest-silence 5 "
        f"-o {kept(fallback)} -- codex exec" in found
    )


def test_the_body_of_a_refusal_is_no_event(folder: Path, browse: Browse) -> None:
    """Its page leads to the faults of the whole answer."""
    maker = TapeMaker(folder / "refused.db")
    maker.post(0, ask("Once."), session("s-1")).refuse(5, 429, {"error": {"message": "slow down"}})
    maker.write()
    client = browse()
    assert json.loads(client.get("/tapes/refused/exchanges/1/events/2.json").text)["type"] == (
        "http.body"
    )
    page = client.get("/tapes/refused/exchanges/1/events/2").text
    (link,) = re.findall(r'data-key="x" href="([^"]+)"', page)
    assert client.get(link.replace("&amp;", "&")).status_code == 200


def test_paths_are_quoted_for_a_shell(folder: Path, browse: Browse, fallback: Path) -> None:
    """A line that is pasted means what it says."""
    fallback.rename(folder / "it's $(mine).db")
    page = twin(browse(), "/tapes/it's $(mine)/sessions/1/again")
    words = shlex.split(lines(page, "This session")[0])
    assert words[:4] == ["wiretape", "replay", str(folder / "it's $(mine).db"), "-o"]
    assert words[4:6] == [f"{folder / "it's $(mine)"}-replay-$(date", "+%Y%m%dT%H%M%S).db"]
    assert words[6:] == ["--", "codex", "exec"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.action}-{fault.needs_event}")
def test_every_fault_that_is_offered_is_one(fault: Any) -> None:
    """`--fault` takes it, about what it is offered for, over its transport."""
    place = "1.2" if fault.needs_event else "1"
    action = read_fault(f"{place}:{fault.action}").action
    assert fault.needs_event <= (action.where is Where.LAST_EVENT)
    over = {None: None, "http": Over.HTTP, "websocket": Over.WEBSOCKET}[fault.transport]
    assert over is None or action.over is over


@pytest.mark.parametrize("address", [POST, f"{POST}&event=5"])
def test_the_command_lines_are_understood(client: FlaskClient, address: str) -> None:
    """Each is one of our commands, and takes its options."""
    # A command keeps what its first context says of it: that must be what it has in earnest.
    main = click.Context(wiretape, **wiretape.context_settings)
    for group in twin(client, address)["groups"]:
        for each in group["commands"]:
            line = each["line"].replace("$(date +%Y%m%dT%H%M%S)", "now")
            program, name, *words = shlex.split(line)
            command = wiretape.get_command(main, name)
            assert program == "wiretape"
            assert command is not None
            command.make_context(name, words, main)


CONTEXT = "<environment_context>\n  <cwd>{}</cwd>\n</environment_context>"
SKILLS = "- `r0` = `{}/skills/.system`"


def told_of(folder: Path, *places: tuple[str, str], command: str = '["codex", "exec"]') -> Path:
    """A tape of a session for each of these: where it worked, and its home."""
    tape = folder / "told.db"
    maker = TapeMaker(tape, label=TapeLabel("record", BEGAN_US, "monotonic", command))
    for number, (work, home) in enumerate(places, start=1):
        context = f"{CONTEXT.format(work)} {SKILLS.format(home)}"
        post = maker.post(100 * number, ask(context, "Go."), session(f"s-{number}"))
        post.answer(100 * number + 1, created(), completed())
    maker.write()
    return tape


def test_a_replay_begins_where_it_was_recorded(folder: Path, browse: Browse) -> None:
    """In the folder and with the settings that the client told its model of."""
    tape = told_of(folder, ("/home/me/my work", "/home/me/.codex"))
    page = twin(browse(), "/tapes/told/sessions/1/again")
    assert lines(page, "This session")[0] == (
        "cd '/home/me/my work' && CODEX_HOME=/home/me/.codex "
        f"wiretape replay {tape} -o {kept(tape)} -- codex exec"
    )
    assert page["setting"] == {
        "folder": "/home/me/my work",
        "home": "/home/me/.codex",
        "has_key": False,
    }


def test_what_clients_tell_apart_is_left_to_the_command(folder: Path, browse: Browse) -> None:
    """One that starts several sees to their homes itself."""
    tape = told_of(folder, ("/work", "/work/one"), ("/work", "/work/two"))
    found = lines(twin(browse(), "/tapes/told/sessions/2/again"), "This session")
    assert found[0] == f"cd /work && wiretape replay {tape} -o {kept(tape)} -- codex exec"


def test_a_try_that_asked_nothing_tells_no_folder(folder: Path, browse: Browse) -> None:
    """A refused handshake does not; nor does a session whose request broke off."""
    maker = TapeMaker(folder / "told.db", label=TapeLabel("record", BEGAN_US, "m", '["codex"]'))
    maker.upgrade(0, session("s-1")).refuse(5, 426)
    context = f"{CONTEXT.format('/work')} {SKILLS.format('/home')}"
    maker.post(100, ask(context, "Go."), session("s-1")).answer(101, created(), completed())
    maker.post(200, ask("Look."), session("s-2")).answer(201, created(), completed())
    maker.write()
    setting = twin(browse(), "/tapes/told/sessions/1/again")["setting"]
    assert (setting["folder"], setting["home"]) == ("/work", "/home")


@pytest.mark.parametrize("option", ['"-C", "sub"', '"--cd", "sub"', '"--cd=sub"'])
def test_a_client_that_was_told_to_go_elsewhere_goes_by_itself(
    folder: Path, browse: Browse, option: str
) -> None:
    """Then the folder that it worked in is not the one that it was started in."""
    tape = told_of(folder, ("/work/sub", "/home"), command=f'["codex", {option}]')
    line = lines(twin(browse(), "/tapes/told/sessions/1/again"), "This session")[0]
    assert line.startswith(f"CODEX_HOME=/home wiretape replay {tape} ")
    page = browse().get("/tapes/told/sessions/1/again").text
    assert "in the folder that was recorded from, which the tape does not tell" in page


def test_a_tape_that_cannot_have_another_beside_it(
    folder: Path, browse: Browse, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its replays go to where temporary files are."""
    told_of(folder, ("/work", "/home"))
    monkeypatch.setattr("inspector_web.setting.os.access", lambda *_: False)
    monkeypatch.setattr("inspector_web.setting.tempfile.gettempdir", lambda: str(tmp_path))
    line = lines(twin(browse(), "/tapes/told/sessions/1/again"), "This session")[0]
    assert f"-o {kept(tmp_path / 'told.db')} --" in line


def test_a_key_that_was_sent_is_wanted_again(folder: Path, browse: Browse) -> None:
    """Of any value: it is not on the tape, and nobody looks at it."""
    maker = TapeMaker(folder / "keyed.db")
    removed = ("authorization", "[removed: authorization]")
    maker.post(0, ask("Go."), (*session("s-1"), removed)).answer(5, created(), completed())
    maker.write()
    client = browse()
    assert twin(client, "/tapes/keyed/sessions/1/again")["setting"]["has_key"] is True
    assert "CODEX_API_KEY=none" in client.get("/tapes/keyed/sessions/1/again").text
