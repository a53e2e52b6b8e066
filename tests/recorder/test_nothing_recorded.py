"""Where no request was recorded, the last line says why, as far as the recorder knows."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from certificates import loopback_certificate
from provider import Provider
from provider_script import Reply, Say, Script
from record_command import CLIENT, record

from wiretape.commands.summary import summary_line
from wiretape.store_writer import TapeLabel, TapeWriter

ANSWERS = Script(posts=(Reply(Say("hello")),))


def ask_over_tls(folder: Path, *options: str) -> tuple[str, list[str]]:
    """What a client printed that asked once, over TLS, and what the recorder told."""
    certificate, key = loopback_certificate(folder)
    with Provider(ANSWERS, tls=(certificate, key)) as provider:
        url = f"{provider.base_url}/responses"
        trust = {"SSL_CERT_FILE": str(certificate)}
        run = record(folder, "-o", "t.db", *options, "--", *CLIENT, url, environment=trust)
    assert run.returncode == 0, run
    return run.stdout, run.stderr.splitlines()


def test_a_model_whose_host_is_not_known(tmp_path: Path) -> None:
    """Its TLS passes, and the option that opens it is named."""
    printed, told = ask_over_tls(tmp_path)
    assert printed.startswith("200 event: ")
    assert told == [
        "wiretape: the tape is t.db: nothing was recorded. TLS passed unopened to 127.0.0.1: if a "
        "model is there, record again with --host 127.0.0.1."
    ]


def test_that_option(tmp_path: Path) -> None:
    """The same run with it is recorded."""
    printed, told = ask_over_tls(tmp_path, "--host", "127.0.0.1")
    assert printed.startswith("200 event: ")
    (last,) = told
    assert last.startswith("wiretape: the tape is t.db: 1 session, 1 request, ")


def test_a_client_that_does_not_trust_us(tmp_path: Path) -> None:
    """That was told when it happened; it is no reason to doubt that the client came our way."""
    with Provider(ANSWERS, tls=loopback_certificate(tmp_path)) as provider:
        url = f"{provider.base_url}/responses"
        script = f"SSL_CERT_FILE=none.pem exec {' '.join(CLIENT)} {url}"
        run = record(tmp_path, "-o", "t.db", "--host", "127.0.0.1", "--", "sh", "-c", script)
    assert run.stdout.startswith("URLError: "), run
    told = run.stderr.splitlines()
    assert told[0].startswith("wiretape: TLS with the client failed for 127.0.0.1 ")
    assert told[1:] == [
        "wiretape: the tape is t.db: 0 sessions, 0 requests, 0 events, 0 retries, 0 fallbacks, "
        "0 gaps."
    ]


@pytest.mark.parametrize(
    ("hosts", "named"),
    [
        ("ab", "a, b: if a model is there, record again with --host and its name."),
        ("abc", "a, b, c: if a model is there, record again with --host and its name."),
        (
            "abcde",
            "a, b, c and 2 more: if a model is there, record again with --host and its name.",
        ),
    ],
)
def test_several_hosts(tmp_path: Path, hosts: Sequence[str], named: str) -> None:
    """The first three are named, the others counted."""
    tape = tmp_path / "t.db"
    with TapeWriter(tape, TapeLabel("record", 0, "a clock"), on_trouble=print):
        pass
    said = summary_line(tape, unopened=tuple(hosts))
    assert said == f"the tape is {tape}: nothing was recorded. TLS passed unopened to {named}"
