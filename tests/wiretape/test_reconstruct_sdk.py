"""Conversations of a real client that names none, recorded and told apart."""

import os
import subprocess
import sys
from pathlib import Path

import sdk_client
from cells import WIRETAPE
from provider import Provider
from provider_script import Plain, Reply, Say, Script

from wiretape.diagnosis.diagnose import diagnose
from wiretape.diagnosis.kinds import Kind
from wiretape.reconstruct import sessions_of
from wiretape.said import Outcome
from wiretape.store_reader import TapeReader

BROKEN = Plain(500, '{"error":{"message":"A scripted failure","type":"server_error"}}')


def test_two_conversations_of_the_openai_sdk(tmp_path: Path) -> None:
    """One chain of responses, one history said again and again; a retry in between is seen."""
    tape = tmp_path / "tape.db"
    replies = [Reply(Say(f"Answer {number}.")) for number in range(1, 5)]
    script = Script(posts=(replies[0], replies[1], BROKEN, *replies[2:], Reply(Say("The end."))))
    with Provider(script) as provider:
        command = [sys.executable, sdk_client.__file__, provider.base_url]
        ran = subprocess.run(
            [WIRETAPE, "record", "-o", str(tape), "--", *command],
            env={"PATH": os.environ["PATH"], "WIRETAPE_CA_DIR": str(tmp_path / "ca")},
            check=False,
            timeout=120,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0, ran.stderr
    with TapeReader(tape) as reader:
        chain, whole = sessions_of(reader)
        findings = diagnose(reader).findings
    assert [session.id for session in (chain, whole)] == [None, None]
    assert [[str(each.why) for each in request.tries] for request in chain.requests] == [
        ["first"],
        ["first", "retry"],
        ["first"],
    ]
    assert [[str(each.why) for each in request.tries] for request in whole.requests] == [
        ["first"],
        ["first"],
    ]
    assert {request.last.outcome for request in (*chain.requests, *whole.requests)} == {
        Outcome.COMPLETED
    }
    assert [finding.kind for finding in findings] == [Kind.HTTP_ERROR]
