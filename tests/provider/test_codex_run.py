"""The harness that runs Codex, tried with small programs in Codex's place."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest
from codex_run import CodexRun, normalised, run_codex

SHOW = """#!/bin/sh
printf '{"type":"shown","arguments":"%s","folder":"%s"}\\n' "$*" "$PWD"
echo 'not json'
env | sort >&2
exit 3
"""


def program(folder: Path, text: str) -> Path:
    """An executable script."""
    path = folder / "codex"
    path.write_text(text)
    path.chmod(0o755)
    return path


def run(folder: Path, text: str, **options: Any) -> CodexRun:
    """Runs a script in Codex's place."""
    defaults = {"base_url": None, "transport": "sse", "home": folder / "h", "cwd": folder / "w"}
    return run_codex(program(folder, text), "Say it", **(defaults | options))


def test_command_and_outcome(tmp_path: Path) -> None:
    """The command line is Codex's own; events, other output and exit code are all kept."""
    seen = run(tmp_path, SHOW)
    arguments = "exec --skip-git-repo-check --json Say it"
    folder = str(tmp_path / "w")
    assert seen.events == ({"type": "shown", "arguments": arguments, "folder": folder},)
    assert seen.stdout.endswith("not json\n")
    assert seen.exit_code == 3


def test_environment_is_clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is inherited but PATH: no proxy, no key, no home of the person who runs tests."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-real")
    seen = run(tmp_path, SHOW, environment={"SSL_CERT_FILE": "/ca.pem"})
    home = str(tmp_path / "h")
    assert dict(line.split("=", 1) for line in seen.stderr.splitlines()) == {
        "PATH": os.environ["PATH"],
        "HOME": home,
        "CODEX_HOME": home,
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "LOCAL_KEY": "sk-dummy",
        "OPENAI_API_KEY": "sk-dummy",
        "CODEX_API_KEY": "sk-dummy",
        "SSL_CERT_FILE": "/ca.pem",
        "PWD": str(tmp_path / "w"),
    }


def test_prefix_stands_in_front(tmp_path: Path) -> None:
    """A prefix command gets Codex's command line as its arguments."""
    (event,) = run(tmp_path, SHOW, command_prefix=["sh", "-c", 'exec "$@" and more', "sh"]).events
    assert event["arguments"] == "exec --skip-git-repo-check --json Say it and more"


def test_deadline_ends_the_whole_group(tmp_path: Path) -> None:
    """At the deadline the client goes, and its children with it; what it said before is kept.

    A child that lived on would hold the output open, and the harness would wait for it.
    """
    seen = run(tmp_path, '#!/bin/sh\nsleep 600 &\necho \'{"type":"began"}\'\nwait\n', timeout_s=2.0)
    assert seen.exit_code is None
    assert seen.events == ({"type": "began"},)


def test_own_provider_is_configured(tmp_path: Path) -> None:
    """A base URL makes a provider of ours the only one, with the transport and settings asked."""
    run(
        tmp_path,
        SHOW,
        base_url="http://127.0.0.1:1/v1",
        transport="websocket",
        settings={"stream_max_retries": 1, "stream_idle_timeout_ms": 400},
    )
    config = tomllib.loads((tmp_path / "h" / "config.toml").read_text())
    assert config["model_provider"] == "local"
    assert config["features"] == {"responses_websockets": True}
    assert config["model_providers"] == {
        "local": {
            "name": "local",
            "base_url": "http://127.0.0.1:1/v1",
            "env_key": "LOCAL_KEY",
            "wire_api": "responses",
            "supports_websockets": True,
            "request_max_retries": 2,
            "stream_max_retries": 1,
            "stream_idle_timeout_ms": 400,
        }
    }


def test_default_provider_has_no_configuration(tmp_path: Path) -> None:
    """Without a base URL there is no configuration at all."""
    run(tmp_path, SHOW)
    assert not (tmp_path / "h" / "config.toml").exists()


def test_final_message_and_complaints() -> None:
    """The last message is the answer; errors and warnings are told in their order."""
    events: list[dict[str, Any]] = [
        {"type": "item.completed", "item": {"type": "error", "message": "a warning"}},
        {"type": "error", "message": "an error"},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": "last"}},
    ]
    seen = CodexRun(0, tuple(events), "", "")
    assert seen.complaints == ("a warning", "an error")
    assert seen.final_message == "last"


def test_run_without_an_answer_has_no_final_message() -> None:
    """A run in which the agent said nothing has no final message."""
    assert CodexRun(1, ({"type": "turn.started"},), "", "").final_message is None


def test_normalised_numbers_identifiers() -> None:
    """Identifiers become numbers by first appearance: the same one is still the same."""
    one, two = "01a2003d-5b84-7ef1-9341-288e63fa318a", "01a2003d-5d48-7752-bc9e-2f49a54dbe37"
    events = [{"thread_id": one}, {"text": f"{two} then {one}"}]
    assert normalised(events) == [{"thread_id": "id-0"}, {"text": "id-1 then id-0"}]


def test_normalised_forgets_the_port() -> None:
    """A loopback address loses its port, which differs from run to run, and nothing else."""
    events = [{"message": "status 401, url: http://127.0.0.1:33011/v1/responses"}]
    assert normalised(events) == [
        {"message": "status 401, url: http://127.0.0.1:PORT/v1/responses"}
    ]


def test_normalised_keeps_the_text() -> None:
    """Text that is no identifier stays as it is, U+2028 included."""
    events = [{"text": "naïve\u2028✓", "port": 8080}]
    assert normalised(events) == events
    assert json.dumps(events) == json.dumps(normalised(events))
