"""``python -m replayer.reference``: how it is called, and what it prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from codex_run import provider_config
from codex_tapes import CALL, HELLO, OUTPUT, SAID, answer, failed, post
from provider import Provider
from provider_script import Plain, Reply, Run, Say, Script, Written
from tapes import Recording

from replayer.reference.__main__ import main
from wiretape.client.config import CHAT_REMOVED

type Reference = Callable[..., tuple[int, str, str]]


@pytest.fixture
def reference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Reference:
    """Runs it in this process with this configuration: exit code, stdout, stderr."""
    monkeypatch.setenv("CODEX_HOME", str(tmp_path))
    monkeypatch.setenv("LOCAL_KEY", "sk-local")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    def run(config: str, *options: str) -> tuple[int, str, str]:
        (tmp_path / "config.toml").write_text(config)
        with pytest.raises(SystemExit) as exit_:
            main(["exec", "--json", "--skip-git-repo-check", "--delays", "0", *options, "Go on."])
        said = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return exit_.value.code, said.out, said.err

    return run


def run(reference: Reference, script: Script, *options: str) -> tuple[int, list[Any], Provider]:
    """A run against a scripted provider over HTTP: exit code, lines, the provider."""
    with Provider(script) as provider:
        config = provider_config(provider.base_url, "sse", {"stream_max_retries": 1})
        code, out, err = reference(config, *options)
    assert err == ""
    return code, [json.loads(line) for line in out.split("\n") if line], provider


def test_a_run_is_printed_as_codex_prints_it(reference: Reference) -> None:
    """One JSON object a line: thread, turn, items, the tokens of all its requests."""
    script = Script(posts=(Reply(Run("true")), Reply(Say("done"))))
    code, lines, _ = run(reference, script)
    assert code == 0
    thought = "**Überlege kurz**\u2028Ein Schritt nach dem anderen …"
    assert lines[0].keys() == {"type", "thread_id"}
    assert lines[1:] == [
        {"type": "turn.started"},
        item(0, "reasoning", text=thought),
        item(
            1,
            "tool_call",
            call_id="call_0001_1",
            name="shell_command",
            said='{"command": "true", "login": false}',
        ),
        item(2, "reasoning", text=thought),
        item(3, "agent_message", text="done"),
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 240, "cached_input_tokens": 200, "output_tokens": 68},
        },
    ]


def item(number: int, kind: str, **said: object) -> dict[str, Any]:
    """The line of an item."""
    return {"type": "item.completed", "item": {"id": f"item_{number}", "type": kind, **said}}


def test_a_failure_is_printed_and_is_exit_code_1(reference: Reference) -> None:
    """The retries, then the last error twice: by itself, and as the end of the turn."""
    script = Script(posts=(Reply(Written((failed(),))),))
    code, lines, _ = run(reference, script)
    boom = "stream disconnected before completion: boom"
    assert code == 1
    assert lines[2:] == [
        {"type": "error", "message": f"Reconnecting... 1/1 ({boom})"},
        {"type": "error", "message": boom},
        {"type": "turn.failed", "error": {"message": boom}},
    ]


def test_it_says_who_it_is_and_shows_the_key(reference: Reference) -> None:
    """The user agent begins as that of the Codex that it behaves as."""
    script = Script(posts=(Reply(Say("done")),))
    _, lines, provider = run(reference, script, "--behave-as", "0.169.0")
    headers = dict(provider.requests[0].headers)
    assert headers["user-agent"].startswith("codex_reference/0.169.0 (wiretape ")
    assert headers["authorization"] == "Bearer sk-local"
    assert headers["thread-id"] == lines[0]["thread_id"]


def test_a_recording_answers_for_the_tools(reference: Reference, tmp_path: Path) -> None:
    """By call id, over the whole tape."""
    recording = Recording()
    post(recording, (HELLO,), answer(CALL))
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID))
    tape = recording.write(tmp_path / "tape.db")
    script = Script(posts=(Reply(Written(answer(CALL))), Reply(Say("done"))))
    _, _, provider = run(reference, script, "--recording", str(tape))
    assert provider.requests[1].body["input"][-1] == OUTPUT


def test_a_key_that_is_not_there_is_left_out(
    reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An upstream of one's own may want none."""
    monkeypatch.delenv("LOCAL_KEY")
    _, _, provider = run(reference, Script(posts=(Plain(400, "{}"),)))
    assert "authorization" not in dict(provider.requests[0].headers)


def test_a_provider_of_the_old_wire_is_refused(reference: Reference) -> None:
    """In the client's own words, and nothing is asked."""
    config = '[model_providers.old]\nwire_api = "chat"\n'
    code, out, err = reference(config)
    assert (code, out, err) == (2, "", f"reference client: {CHAT_REMOVED}\n")


@pytest.mark.parametrize("version", ["new", "1", "1.x"])
def test_a_version_that_is_none_is_refused(version: str, reference: Reference) -> None:
    """Two numbers at least."""
    code, out, err = reference("", "--behave-as", version)
    assert (code, out) == (2, "")
    assert f"'{version}' is no version: give one like 0.99.0." in err
