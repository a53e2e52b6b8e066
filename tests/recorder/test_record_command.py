"""``wiretape record``: its modes, what it tells, and what it leaves behind."""

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from certificates import loopback_certificate
from provider import Provider
from provider_script import Reply, Say, Script
from record_command import CLIENT, WIRETAPE, clean_environment, record, recording_alone, started
from recorded import authority_folder, recorded
from terminal import in_a_terminal

import recorder.addon
from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

ANSWERS = Script(posts=(Reply(Say("hello")),))


def test_around_a_command(tmp_path: Path) -> None:
    """Its output, input and exit code are its own; the tape is named and closed at the end."""
    tape = tmp_path / "t.db"
    with Provider(ANSWERS) as provider:
        url = f"{provider.base_url}/responses"
        run = record(
            tmp_path, "-o", str(tape), "--", *CLIENT, "-", url, "tty", "7", stdin="typed\n"
        )
    lines = run.stdout.splitlines()
    assert run.returncode == 7
    assert lines[0] == "typed"
    assert lines[1].startswith("200 event: ")
    assert lines[-1] == "False False False"
    (last,) = run.stderr.splitlines()
    assert last.startswith(f"wiretape: the tape is {tape}: ")
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("t.db")] == ["t.db"]
    (found,) = recorded(tape)
    assert found.body == b'{"input":[],"tools":[]}'
    assert (found.status, found.end.how) == (200, EndKind.COMPLETE)
    with TapeReader(tape) as reader:
        label = reader.label()
    assert label.made_by == "record"
    assert json.loads(label.command or "")[1:3] == [CLIENT[1], "-"]
    assert abs(label.started_at_us / 1e6 - time.time()) < 3600


def test_a_command_sent_to_another_upstream(tmp_path: Path) -> None:
    """Plain or TLS, what the client asked for and where it went are both on the tape."""
    tape = tmp_path / "t.db"
    asked = ("http://models.example/v1/notes", "https://api.openai.com/v1/responses")
    with Provider(ANSWERS) as provider:
        upstream = f"http://127.0.0.1:{provider.port}"
        options = ("-o", str(tape), "--upstream", upstream, "--scope", "all")
        run = record(tmp_path, *options, "--", *CLIENT, *asked)
    answers = [line for line in run.stdout.split("\n") if re.match("HTTPError|200 ", line)]
    assert answers == ["HTTPError: HTTP Error 404: Not Found", "200 event: codex.rate_limits"]
    requests = [each.exchange.request for each in recorded(tape)]
    assert [
        (request.scheme, request.host, request.port, request.upstream) for request in requests
    ] == [
        ("http", "models.example", 80, upstream),
        ("https", "api.openai.com", 443, upstream),
    ]


def ask(url: str, proxy: str | None = None) -> str:
    """Posts to a URL from this process, by way of a proxy if there is one."""
    handler = urllib.request.ProxyHandler({"http": proxy} if proxy else {})
    opener = urllib.request.build_opener(handler)
    with opener.open(url, data=b"{}", timeout=20) as answer:
        text: str = answer.read().decode()
    return text


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_forward_proxy_alone(tmp_path: Path, number: signal.Signals) -> None:
    """It says how to use it, and ends well whatever tells it to stop."""
    tape = tmp_path / "t.db"
    with (
        Provider(ANSWERS) as provider,
        recording_alone(tmp_path, "-o", str(tape)) as (process, said),
    ):
        found = re.search(r"the proxy is (http://127\.0\.0\.1:\d+)", said)
        assert found is not None
        assert "response.completed" in ask(f"{provider.base_url}/responses", found[1])
        process.send_signal(number)
        rest, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert rest.startswith(f"wiretape: the tape is {tape}: ")
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]
    assert [each.end.how for each in recorded(tape)] == [EndKind.COMPLETE]


def test_a_client_started_with_the_lines_that_a_proxy_alone_prints(tmp_path: Path) -> None:
    """Pasted into a shell with settings of its own, they lead its commands our way, over TLS."""
    certificate = loopback_certificate(tmp_path)
    options = ("record", "-o", "t.db", "--host", "127.0.0.1")
    trust = {"SSL_CERT_FILE": str(certificate[0])}
    mine = clean_environment(tmp_path, NO_PROXY="*", no_proxy="*", https_proxy="http://gone:1")
    with (
        Provider(ANSWERS, tls=certificate) as provider,
        started(tmp_path, WIRETAPE, *options, until="Ctrl-C", environment=trust) as (process, said),
    ):
        lines = [line for line in said.splitlines() if not line.startswith("wiretape: ")]
        client = shlex.join([*CLIENT, f"{provider.base_url}/responses"])
        script = "\n".join((*lines, client))
        run = subprocess.run(["sh", "-c", script], env=mine, capture_output=True, text=True)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert run.stdout.startswith("200 event: "), run
    (found,) = recorded(tmp_path / "t.db")
    assert found.exchange.request.scheme == "https"


def test_a_reverse_proxy_alone(tmp_path: Path) -> None:
    """Given as a base URL it leads to the upstream, whose name is on the tape."""
    tape = tmp_path / "t.db"
    with Provider(ANSWERS) as provider:
        upstream = f"http://localhost:{provider.port}"
        with recording_alone(tmp_path, "-o", str(tape), "--upstream", upstream) as (process, said):
            found = re.search(r"requests to (http://127\.0\.0\.1:\d+) go to (\S+)\.", said)
            assert found is not None
            assert found[2] == upstream
            assert "response.completed" in ask(f"{found[1]}/v1/responses")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
    assert process.returncode == 0
    (only,) = recorded(tape)
    assert (only.exchange.request.host, only.exchange.request.port) == ("localhost", provider.port)


def test_the_hosts_of_codexs_configuration_are_opened(tmp_path: Path) -> None:
    """A provider of the user's own, over TLS: its authority is trusted, its traffic is told."""
    certificate = loopback_certificate(tmp_path)
    environment = {"SSL_CERT_FILE": str(certificate[0]), "CODEX_HOME": str(tmp_path)}
    with Provider(ANSWERS, tls=certificate) as provider:
        (tmp_path / "config.toml").write_text(
            f'[model_providers.mine]\nbase_url = "{provider.base_url}"\n'
        )
        url = f"{provider.base_url}/responses"
        run = record(tmp_path, "-o", "t.db", "--", *CLIENT, url, environment=environment)
    assert run.stdout.startswith("200 event:"), run
    (found,) = recorded(tmp_path / "t.db")
    assert found.exchange.request.scheme == "https"


def test_a_tape_without_a_name_of_its_own(tmp_path: Path) -> None:
    """It lies in $WIRETAPE_RECORDINGS, named by time and command."""
    folder = tmp_path / "tapes"
    run = record(tmp_path, "--", "true", environment={"WIRETAPE_RECORDINGS": str(folder)})
    (tape,) = folder.iterdir()
    assert re.fullmatch(r"\d{8}T\d{6}Z-true\.db", tape.name)
    assert str(tape) in run.stderr


def test_a_command_that_leaves_a_daemon_behind(tmp_path: Path) -> None:
    """The recording ends with the command; what the daemon has open then is cut and said so."""
    tape = tmp_path / "t.db"
    daemon = (
        "import os, socket, subprocess, sys, time\n"
        "subprocess.Popen([sys.executable, *sys.argv[1:]], start_new_session=True,"
        " stdout=subprocess.DEVNULL)\n"
        "time.sleep(float(os.environ['STAY_S']))\n"
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1/responses"
        run = record(
            tmp_path,
            *("-o", str(tape), "--", sys.executable, "-c", daemon, CLIENT[1], url),
            environment={"STAY_S": "1"},
        )
    assert run.returncode == 0
    assert run.stderr.splitlines() == [
        "wiretape: 1 exchange was still under way when the command was over, and cut off: let the "
        "command wait for what it starts.",
        f"wiretape: the tape is {tape}: 1 session, 1 request, 0 events, 0 retries, 0 fallbacks, "
        "0 gaps.",
    ]
    (found,) = recorded(tape)
    assert found.end.how is EndKind.RECORDER_STOPPED
    assert [file.name for file in tmp_path.iterdir() if "t.db" in file.name] == ["t.db"]


INTERRUPTED = """
import signal, sys, time
hits = []
signal.signal(signal.SIGINT, lambda *_: hits.append(1))
print("ready", *(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)), flush=True)
sys.stdin.readline()
print("hits", len(hits), flush=True)
sys.exit(42)
"""


def test_in_a_terminal(tmp_path: Path) -> None:
    """The command has it to itself: Ctrl-C reaches it once and does not end the recording."""
    tape = tmp_path / "t.db"
    command = [WIRETAPE, "record", "-o", str(tape), "--", sys.executable, "-c", INTERRUPTED]
    with in_a_terminal(command, clean_environment(tmp_path), tmp_path) as terminal:
        terminal.wait_for("ready True True True\n")
        terminal.type("\x03")
        terminal.wait_for("^C")
        terminal.type("go on\n")
        assert terminal.wait() == 42
    assert "hits 1\n" in terminal.shown
    assert f"wiretape: the tape is {tape}: " in terminal.shown
    assert [file.name for file in tmp_path.iterdir()] == ["t.db"]


def test_under_mitmdump(tmp_path: Path) -> None:
    """The addon records under a plain mitmproxy, and closes its tape with it."""
    tape = tmp_path / "t.db"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mitmdump = [
        *(Path(sys.executable).with_name("mitmdump"), "-s", recorder.addon.__file__),
        *("--set", f"wiretape_tape={tape}", "--set", f"confdir={authority_folder()}"),
        *("--listen-host", "127.0.0.1", "--listen-port", str(port)),
    ]
    with (
        Provider(ANSWERS) as provider,
        started(tmp_path, *mitmdump, until=f"recording to {tape}") as (process, _),
    ):
        url = f"{provider.base_url}/responses"
        assert "response.completed" in ask(url, f"http://127.0.0.1:{port}")
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    (found,) = recorded(tape)
    assert f"the tape is {tape}: " in rest
    assert (found.status, found.end.how) == (200, EndKind.COMPLETE)
    refusal = f"{tape} exists already: choose another name or remove it first."
    with started(tmp_path, *mitmdump, until=refusal) as (process, said):
        rest, _ = process.communicate(timeout=30)
    assert process.returncode == 1
    assert "Traceback" not in said + rest
