"""A test asks what would be: the server fails, the transport is another, tools do nothing."""

import pytest
from plugin_project import Project
from tapes import Recording, answer, create, sse

ASK = """
import httpx, json, pytest

HEADERS = {"session_id": "01990000-aaaa-7000-8000-000000000001"}

def ask(model, *texts):
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": each}]}
            for each in texts]
    asked = {"model": "m", "input": said, "stream": True}
    return httpx.post(model.base_url + "/responses", json=asked, headers=HEADERS)
"""


@pytest.fixture
def project(project: Project) -> Project:
    """A project with a tape of two questions and their answers."""
    recording = Recording()
    recording.post(create("one"), sse(*answer("eins")))
    recording.post(create("one", "two"), sse(*answer("zwei")))
    recording.write(project.folder / "tape.db")
    (project.folder / "tape.db.ignore").write_text("headers\nmodel\nstream\ntools\ninstructions\n")
    return project


def test_the_server_fails(project: Project) -> None:
    """Where the marker says so; the answer after it is the recorded one, and how often the fault
    was met is noted. What came of it is no difference."""
    project.run(
        ASK
        + """
@pytest.mark.wiretape("tape.db", fault="1x1:status=503", strict=True)
def test_fault(wiretape_replay):
    assert ask(wiretape_replay, "one").status_code == 503
    assert "eins" in ask(wiretape_replay, "one").text
    assert wiretape_replay.report.notes == ["the fault 1x1:status=503 was met 1 time"]
    wiretape_replay.assert_attempts(
        "first http create http_error", "retry http create completed"
    )
"""
    ).assert_outcomes(passed=1)


def test_what_differs_before_a_fault_is_a_difference(project: Project) -> None:
    """It is not the fault's."""
    ran = project.run(
        ASK
        + """
@pytest.mark.wiretape("tape.db", fault="2:cut")
def test_fault(wiretape_replay):
    ask(wiretape_replay, "other")
    wiretape_replay.assert_as_recorded()
"""
    )
    ran.assert_outcomes(failed=1)
    assert "different: #1 (http create), recorded as exchange 1" in ran.stdout.str()


def test_a_fault_that_cannot_be_is_an_error(project: Project) -> None:
    """In a sentence, and the test does not begin."""
    ran = project.run(
        """
import pytest

@pytest.mark.wiretape("tape.db", fault="9:cut")
def test_nowhere(): ...

@pytest.mark.wiretape("tape.db", fault="1:explode")
def test_nothing(): ...
"""
    )
    ran.assert_outcomes(errors=2)
    assert "the fault '9:cut' hits nothing" in ran.stdout.str()
    assert "explode" in ran.stdout.str()


def test_the_transport_is_another(project: Project) -> None:
    """A recording over SSE answers on a WebSocket."""
    project.run(
        ASK
        + """
from websockets.sync.client import connect

@pytest.mark.wiretape("tape.db", transport="websocket")
def test_socket(wiretape_replay):
    url = wiretape_replay.base_url.replace("http:", "ws:") + "/responses"
    with connect(url, additional_headers=HEADERS, proxy=None) as socket:
        asked = {"type": "response.create", "input": [{"type": "message", "role": "user",
            "content": [{"type": "input_text", "text": "one"}]}]}
        socket.send(json.dumps(asked))
        types = []
        while "response.completed" not in types:
            types.append(json.loads(socket.recv())["type"])
    wiretape_replay.assert_attempts("first websocket create completed")
"""
    ).assert_outcomes(passed=1)


def test_tools_do_nothing(project: Project) -> None:
    """The call that comes is one that prints what the recorded one gave, and the client may say
    so."""
    call = {"type": "function_call", "call_id": "c", "name": "shell", "arguments": "{}"}
    gave = "Exit code: 0\nWall time: 0 seconds\nOutput:\none"
    output = {"type": "function_call_output", "call_id": "c", "output": gave}
    recording = Recording()
    recording.post(create("one"), sse({"type": "response.output_item.done", "item": call}))
    recording.post({**create("one"), "input": [call, output]}, sse(*answer("done")))
    recording.write(project.folder / "tool.db")
    project.run(
        ASK
        + """
@pytest.mark.wiretape("tool.db", tools="recorded")
def test_tool(wiretape_replay):
    assert "printf %s one" in ask(wiretape_replay, "one").text
    (note,) = wiretape_replay.report.notes
    assert note == "calls that print what was recorded instead: shell (c)"
"""
    ).assert_outcomes(passed=1)
