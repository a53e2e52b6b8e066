"""What would lead Codex past us: a server that runs already, and settings that overrule ours."""

import os
from contextlib import ExitStack
from pathlib import Path

import pytest
from background_server import CONTROL_SOCKET, a_server

from gateway.bypass import background_server, bypasses, left_behind

RUNNING = (
    f"Codex's background server (pid {os.getpid()}) runs already and does not come our way: "
    "end it with `codex app-server daemon stop`, or start Codex with --no-daemon."
)


@pytest.mark.parametrize(
    "command",
    [
        ["codex"],
        ["codex", "say hello"],
        ["/opt/bin/codex", "resume", "--last"],
        ["codex", "-m", "gpt-5", "-c", "a=1", "please exec it"],
        ["npx", "@openai/codex@0.169.0"],
        ["node", "/lib/node_modules/@openai/codex/bin/codex.js"],
        ["env", "A=1", "codex-x86_64-unknown-linux-musl"],
        ["sh", "-c", "cd /work && exec codex 'say hello'"],
        ["bash", "-lc", "codex exec one\ncodex two"],
        ["env", "A=1", "sh", "-c", "codex --no-daemon one; codex two"],
    ],
)
def test_an_interactive_codex_beside_a_running_server(tmp_path: Path, command: list[str]) -> None:
    """However it is named or started."""
    with a_server(tmp_path):
        assert bypasses(command, {"CODEX_HOME": str(tmp_path)}) == [RUNNING]


@pytest.mark.parametrize(
    "command",
    [
        ["codex", "exec", "say hello"],
        ["codex", "--cd", "/home/me/codex", "-c", 'a="https://x.example/codex"', "exec", "hi"],
        ["codex", "--no-daemon", "say hello"],
        ["sh", "-c", "codex exec 'one' | tee x; codex exec 'it is two'"],
        ["bash", "-c", "echo 'unfinished"],
        ["claude", "what does codex do?"],
        ["python", "agent.py"],
        [],
    ],
)
def test_commands_that_do_without_it(tmp_path: Path, command: list[str]) -> None:
    """They talk themselves, or are no Codex."""
    with a_server(tmp_path):
        assert bypasses(command, {"CODEX_HOME": str(tmp_path)}) == []


def test_the_home_that_env_names(tmp_path: Path) -> None:
    """Codex has its server there, whatever the environment around says."""
    command, told = ["env", f"CODEX_HOME={tmp_path}", "codex"], []
    with ExitStack() as stack:
        with left_behind(command, {"CODEX_HOME": "/none"}, told.append):
            stack.enter_context(a_server(tmp_path))
        assert len(told) == 1
        assert bypasses(command, {"CODEX_HOME": "/none"}) == [RUNNING]


def test_no_server(tmp_path: Path) -> None:
    """None was ever started, or what is left of it is a name that nobody listens on."""
    environment = {"CODEX_HOME": str(tmp_path)}
    assert background_server(environment) is None
    with a_server(tmp_path):
        pass
    assert (tmp_path / CONTROL_SOCKET).is_symlink()
    assert background_server(environment) is None
    assert bypasses(["codex"], environment) == []


def test_a_server_in_the_users_home(tmp_path: Path) -> None:
    """Where no CODEX_HOME is named, it is Codex's own default."""
    with a_server(tmp_path / ".codex"):
        assert background_server({"HOME": str(tmp_path)}) == os.getpid()


def test_a_server_that_stays_is_told_of(tmp_path: Path) -> None:
    """If it was started inside: it has our proxy, which is gone."""
    told: list[str] = []
    environment = {"CODEX_HOME": str(tmp_path)}
    with ExitStack() as stack:
        with left_behind(["codex"], environment, told.append):
            stack.enter_context(a_server(tmp_path))
        assert told == [
            f"Codex's background server (pid {os.getpid()}) was started inside and goes on "
            "running, with a proxy that is gone now: end it with `codex app-server daemon stop`, "
            "or Codex will find no network."
        ]
        with left_behind(["codex"], environment, told.append):
            pass
    assert len(told) == 1


@pytest.mark.parametrize(
    ("settings", "names"),
    [
        ("HTTPS_PROXY=http://127.0.0.1:7890\n", "HTTPS_PROXY"),
        ("# mine\n export  no_proxy = x\nOPENAI_API_KEY=1\nhttp_proxy=\n", "no_proxy, http_proxy"),
        ("SSL_CERT_FILE=/corp.pem\nSSL_CERT_FILE=/other.pem", "SSL_CERT_FILE"),
        ("OPENAI_API_KEY=1\n#HTTPS_PROXY=x\nCODEX_CA_CERTIFICATE=/x.pem\n", None),
        ("", None),
    ],
)
def test_settings_that_overrule_ours(tmp_path: Path, settings: str, names: str | None) -> None:
    """Codex puts what its ``.env`` says over its environment, whatever it is run for."""
    (tmp_path / ".env").write_text(settings)
    told = [
        f"{tmp_path / '.env'} sets {names}, which overrules what we tell Codex: "
        "take that out of it for this run."
    ]
    environment = {"CODEX_HOME": str(tmp_path)}
    assert bypasses(["codex", "exec", "hi"], environment) == (told if names else [])
    assert bypasses(["python", "agent.py"], environment) == []
