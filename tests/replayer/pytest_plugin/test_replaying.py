"""A test's clients are answered from its tape, wherever they think that their model is."""

import pytest
from plugin_project import Project
from tapes import CUT, LEFT, SESSION, Recording, answer, create, sse

HELLO = {"model": "m", "input": "hello", "stream": True}
CLIENT = """
import httpx

def hello(base_url, **options):
    asked = {"model": "m", "input": "hello", "stream": True}
    with httpx.Client(**options) as client:
        return client.post(f"{base_url}/responses", json=asked)
"""


@pytest.fixture
def project(project: Project) -> Project:
    """A project with a tape of what the client asks that says hello, and the answer."""
    recording = Recording()
    recording.post(HELLO, sse(*answer("Hallo")), session=None)
    recording.write(project.folder / "hello.db")
    return project


def test_a_client_is_told_a_base_url(project: Project) -> None:
    """It has the recorded path; whatever else the client does is its own affair."""
    project.run(
        CLIENT
        + """
import pytest

@pytest.mark.wiretape("hello.db")
def test_hello(wiretape_replay):
    assert wiretape_replay.base_url.startswith("http://127.0.0.1:")
    assert wiretape_replay.base_url.endswith("/v1")
    assert "Hallo" in hello(wiretape_replay.base_url).text
"""
    ).assert_outcomes(passed=1)


def test_a_client_goes_to_the_models_own_address(project: Project) -> None:
    """The environment leads it here, and so do options for one that heeds no environment."""
    project.run(
        CLIENT
        + """
import pytest

@pytest.mark.wiretape("hello.db")
def test_environment():
    assert "Hallo" in hello("https://api.openai.com/v1").text

@pytest.mark.wiretape("hello.db")
def test_options(wiretape_replay):
    options = wiretape_replay.httpx_options
    assert "Hallo" in hello("https://api.openai.com/v1", trust_env=False, **options).text
"""
    ).assert_outcomes(passed=2)


def test_a_command_is_answered(project: Project) -> None:
    """Through the environment that it is given, at the model's own address and on loopback."""
    project.run(
        """
import json, subprocess, sys
import pytest

ASK = '''
import httpx, sys
asked = {"model": "m", "input": "hello", "stream": True}
print(httpx.post(sys.argv[1] + "/responses", json=asked).text)
'''

@pytest.mark.wiretape("hello.db")
@pytest.mark.parametrize("url", ["https://api.openai.com/v1", "http://127.0.0.1:9/v1"])
def test_hello(wiretape_replay, url):
    command = [sys.executable, "-c", ASK, url]
    ran = subprocess.run(command, env=wiretape_replay.environment, stdout=subprocess.PIPE)
    assert b"Hallo" in ran.stdout
"""
    ).assert_outcomes(passed=2)


def test_the_environment_is_as_it_was_afterwards(project: Project) -> None:
    """What leads clients here is gone with the tape."""
    project.run(
        """
import os
import pytest

def environment():
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}

BEFORE = environment()

@pytest.mark.wiretape("hello.db")
def test_with():
    assert os.environ["OPENAI_API_KEY"] == "none"
    assert os.environ["HTTPS_PROXY"] == os.environ["https_proxy"]

def test_without():
    assert environment() == BEFORE
"""
    ).assert_outcomes(passed=2)


def test_what_was_asked_can_be_looked_at(project: Project) -> None:
    """Requests, attempts, why they were made and what came of them."""
    recording = Recording()
    recording.post(create("hi"), sse(*answer("Ha"))[:2], CUT)
    recording.post(create("hi"), sse(*answer("Hallo")), LEFT)
    recording.write(project.folder / "cut.db")
    project.run(
        f"""
import httpx, pytest

@pytest.mark.wiretape("cut.db")
def test_cut(wiretape_replay):
    headers = {{"session_id": "01990000-aaaa-7000-8000-000000000001"}}
    for _ in range(2):
        with httpx.stream(
            "POST", wiretape_replay.base_url + "/responses", json={create("hi")!r}, headers=headers
        ) as answer:
            try:
                answer.read()
            except httpx.RemoteProtocolError:
                pass
    wiretape_replay.assert_requests(1)
    wiretape_replay.assert_attempts("first http create cut", "retry http create completed")
    wiretape_replay.assert_no_fallback()
    assert len(wiretape_replay.report.requests) == 2
    assert [len(request.tries) for request in wiretape_replay.requests] == [2]
"""
    ).assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("reach", "said"),
    [
        ("httpx.get('http://192.0.2.1/', trust_env=False)", "reaches for 192.0.2.1:80, which is"),
        ("httpx.get('http://example.com/', trust_env=False)", "reaches for example.com, which is"),
        ("httpx.get('https://example.com/')", "blocked: example.com:443 (1 time)"),
    ],
)
def test_nothing_leaves_this_machine(project: Project, reach: str, said: str) -> None:
    """Not past the proxy, and not through it."""
    ran = project.run(
        f"""
import httpx, pytest

@pytest.mark.wiretape("hello.db")
def test_reach():
    {reach}
"""
    )
    ran.assert_outcomes(failed=1)
    assert said in ran.stdout.str()


def test_a_command_reaches_nothing_else(project: Project) -> None:
    """What it tries is refused, counted and named."""
    project.run(
        """
import subprocess, sys
import pytest

REACH = "import httpx; print(httpx.get('http://example.com/page').status_code)"

@pytest.mark.wiretape("hello.db")
def test_reach(wiretape_replay):
    ran = subprocess.run([sys.executable, "-c", REACH], stdout=subprocess.PIPE)
    assert ran.stdout == b"403\\n"
    assert wiretape_replay.blocked == {"GET example.com:80/page": 1}
"""
    ).assert_outcomes(passed=1)


def test_a_server_of_the_tests_own_is_reached(project: Project) -> None:
    """What runs on this machine beside the model is the test's own business."""
    project.run(
        """
import threading, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
import pytest

class Hello(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"own")

@pytest.mark.wiretape("hello.db")
def test_own():
    with HTTPServer(("127.0.0.1", 0), Hello) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/") as answer:
            assert answer.read() == b"own"
        thread.join()
"""
    ).assert_outcomes(passed=1)


def test_a_session_is_chosen(project: Project) -> None:
    """The marker names it, as ``--session`` does."""
    recording = Recording()
    recording.post(create("hi"), sse(*answer("Hallo")))
    recording.write(project.folder / "named.db")
    ran = project.run(
        f"""
import pytest

@pytest.mark.wiretape("named.db", session={SESSION[:13]!r})
def test_named(): ...

@pytest.mark.wiretape("named.db", session="nobody")
def test_nobody(): ...
"""
    )
    ran.assert_outcomes(passed=1, errors=1)
    assert "named.db has no session 'nobody'" in ran.stdout.str()


def test_what_is_ignored_is_no_difference(project: Project) -> None:
    """By the marker, and by the file beside the tape."""
    (project.folder / "hello.db.ignore").write_text("headers")
    project.run(
        CLIENT.replace('"input": "hello"', '"input": "hello", "effort": "high"')
        + """
import pytest

@pytest.mark.wiretape("hello.db", ignore="effort")
def test_hello(wiretape_replay):
    hello(wiretape_replay.base_url)
    wiretape_replay.assert_as_recorded()
"""
    ).assert_outcomes(passed=1)
