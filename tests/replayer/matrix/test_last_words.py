"""The last thing that a client had to say."""

import json

import pytest

from replayer.matrix.last_words import last_words


def event(**members: object) -> str:
    return json.dumps(members) + "\n"


SAID = event(type="item.completed", item={"type": "agent_message", "text": "Done.\u2028Yes."})
FAILED = event(type="turn.failed", error={"message": "stream closed"})

BEGUN = "OpenAI Codex v0.99.0\n--------\nmodel: m\n--------\nuser\nsay hello\n"
LOGGED = "2026-11-22T08:39:44.806031Z ERROR codex_api::sse: failed to connect\n"


@pytest.mark.parametrize(
    ("stdout", "stderr", "words"),
    [
        (SAID + event(type="turn.completed", usage={}), "a warning\n", "Done.\u2028Yes."),
        (SAID + event(type="error", message="boom") + FAILED, "", "stream closed"),
        (event(type="error", message='{"error": {"message": "no"}}'), "", "no"),
        (event(type="error", message='{"message": "no"}'), "", "no"),
        (event(type="thread.started"), "noise\n", ""),
        ("{ no JSON\n" + SAID, "", "Done.\u2028Yes."),
        ("thinking\nHello.\n\n", "", "Hello."),
        ("", "tokens used\nERROR: it is over\n", "ERROR: it is over"),
        ("", "codex\nI looked.\ntokens used\n1,054\n", "I looked."),
        ("", "tokens used\n54\n", ""),
        ("", f"{BEGUN}mcp startup: no servers\n", ""),
        ("", f"{BEGUN}{LOGGED}", ""),
        ("", f"{BEGUN}mcp startup: no servers\nERROR: it is over\n{LOGGED}", "ERROR: it is over"),
        ("", f"{BEGUN}mcp startup: no servers\ncodex\nI looked.\n{LOGGED}", "I looked."),
        ("", f"{BEGUN}mcp startup: no servers\nReconnecting... 1/5\n", "Reconnecting... 1/5"),
        ("", LOGGED, LOGGED.strip()),
        ("", "", ""),
    ],
)
def test_what_is_said_last(stdout: str, stderr: str, words: str) -> None:
    """Of `codex exec --json` an answer or an error; else the last line."""
    assert last_words(stdout, stderr) == words
