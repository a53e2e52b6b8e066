"""The OpenAI SDK, unmodified, recorded and replayed: to its user the three runs are the same."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sdk_talk
from provider import Provider
from provider_events import events
from provider_script import Accept, Plain, Reply, Say, Script, Written

from gateway.authority import Authority

WIRETAPE = Path(sys.executable).with_name("wiretape")
# The SDK's helper wants to hear of its response before anything else.
PLAIN_EVENTS = [
    event
    for event in events(Say("Gone on."), 3, ())
    if isinstance(event, dict) and str(event["type"]).startswith("response.")
]
SCRIPT = Script(
    posts=(
        Reply(Say("Begun: a naïve answer,\u2028on two lines ✓")),
        Plain(503, '{"error":{"message":"busy"}}', (("retry-after-ms", "1"),)),
        Reply(Written(tuple(PLAIN_EVENTS))),
    ),
    upgrades=(Accept(),),
    messages=(Reply(Say("Begun.")), Reply(Say("Ended."))),
)


def run(home: Path, authority: Authority, *command: str | Path) -> list[str]:
    """Runs the command to its end, in a clean environment, and gives the lines of its output."""
    ran = subprocess.run(
        command,
        env={"HOME": str(home), "PATH": os.environ["PATH"], "WIRETAPE_CA_DIR": authority.folder},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, authority: Authority) -> dict[str, Any]:
    """What the SDK told its user without us, recorded, and replayed; and the replay's report.

    All have the same base URL; during the replay nobody listens there.
    """
    home = tmp_path_factory.mktemp("sdk")
    talk = [sys.executable, sdk_talk.__file__]
    with Provider(SCRIPT) as provider:
        talk.append(provider.base_url)
        direct = run(home, authority, *talk)
    with Provider(SCRIPT, port=provider.port) as provider:
        recorded = run(home, authority, WIRETAPE, "record", "-o", "sdk.db", "--", *talk)
    replayed = run(
        home, authority, WIRETAPE, "replay", "sdk.db", "--report", "report.json", "--", *talk
    )
    report = json.loads((home / "report.json").read_text())
    return {"direct": direct, "recorded": recorded, "replayed": replayed, "report": report}


def test_a_recorded_talk_is_as_without_us(told: dict[str, Any]) -> None:
    """Every event and every final object, over HTTP and over the socket."""
    assert told["recorded"] == told["direct"]


def test_a_replayed_talk_is_as_recorded(told: dict[str, Any]) -> None:
    """The same events, the same final objects, though there is nobody to answer any more."""
    assert told["replayed"] == told["recorded"]


def test_the_talk_says_what_the_script_says(told: dict[str, Any]) -> None:
    """Whatever compares equal holds the answers, the lone line separator too."""
    events = [json.loads(line) for line in told["replayed"]]
    done = [
        event["text"]
        for event in events
        if isinstance(event, dict) and event.get("type") == "response.output_text.done"
    ]
    assert done == ["Begun: a naïve answer,\u2028on two lines ✓", "Begun.", "Ended."]
    assert "Gone on." in events


def test_every_request_of_the_talk_is_exact(told: dict[str, Any]) -> None:
    """Three over HTTP, one of which is tried again; a handshake, and two messages."""
    assert told["report"]["counts"] == {
        "requests": 6,
        "exact": 6,
        "different": 0,
        "unexpected": 0,
        "not_asked": 0,
        "blocked": 0,
    }
