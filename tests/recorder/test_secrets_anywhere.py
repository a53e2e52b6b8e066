"""Whatever a secret is called, and wherever it stands, no byte of it reaches the tape."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.capture import Capture
from wiretape.facts import EndKind
from wiretape.redact import redact_command
from wiretape.store_writer import TapeLabel, TapeWriter

MARK = "Zq77vX"
"""Stands in every secret, and nowhere else."""

NAMES = [
    *("api key", "api keys", "access token", "refresh token", "auth token", "bearer token"),
    *("client secret", "secrets", "private key", "signing key", "password", "passwd", "passphrase"),
    *("cookie", "credentials", "authorization", "oauth", "oauth token", "jwt", "signature"),
    *("session token", "session key", "account id", "account", "user id", "user"),
    *("organization id", "org id", "project", "project id", "tenant id", "workspace id", "email"),
]
WORD_BY_WORD: list[Callable[[list[str]], str]] = [
    "-".join,
    "_".join,
    lambda words: "-".join(word.title() for word in words),
    lambda words: "_".join(words).upper(),
    lambda words: words[0] + "".join(word.title() for word in words[1:]),
    lambda words: "".join(word.title() for word in words),
]
SPELLINGS = [*WORD_BY_WORD, "".join, lambda words: "".join(words).upper()]
SHORT_NAMES = ["auth", "key", "keys", "otp", "pass", "pin", "pwd", "sig"]
"""Found as words only: joined to others, they are parts of other words too."""


def spelled(
    names: list[str], spellings: list[Callable[[list[str]], str]]
) -> st.SearchStrategy[str]:
    return st.builds(
        lambda prefix, name, spell: spell([*prefix, *name.split()]),
        st.sampled_from([[], ["x"], ["x", "openai"], ["my", "app"]]),
        st.sampled_from(names),
        st.sampled_from(spellings),
    )


names = spelled(NAMES, SPELLINGS) | spelled(SHORT_NAMES, WORD_BY_WORD)
secrets = st.builds(
    lambda before, after: f"{before}{MARK}{after}",
    st.text("abcXYZ019-_.~+/", max_size=8),
    st.text("abcXYZ019-_.~+/=", max_size=30),
)

IN_A_COMMAND: list[Callable[[str, str], list[str]]] = [
    lambda name, secret: ["run", f"--{name}", secret],
    lambda name, secret: ["run", f"--{name}={secret}"],
    lambda name, secret: ["env", f"{name}={secret}", "run"],
    lambda name, secret: ["env", f"{name}={secret} more {secret}", "run"],
    lambda name, secret: ["docker", f"-e{name}={secret}"],
    lambda name, secret: ["sh", "-c", f"export A=1; {name}={secret} run"],
    lambda name, secret: ["sh", "-c", f"run --{name} {secret} -v"],
    lambda name, secret: ["sh", "-c", f"run --{name} '{secret} {secret}'"],
    lambda name, secret: ["sh", "-c", f"{name}='{secret} {secret}' run"],
    lambda name, secret: ["run", "--config", f"--{name} {secret}"],
    lambda name, secret: ["curl", "-H", f"X-{name}: {secret}"],
    lambda name, secret: ["curl", f"-HX-{name}:{secret}"],
    lambda name, secret: ["codex", "-c", f'a.headers={{"{name}" = "{secret}", b = "1"}}'],
    lambda name, secret: ["run", json.dumps({name: secret, "b": 1})],
    lambda name, secret: ["run", f"https://a.example/x?a=1&{name}={secret}#b"],
    lambda _, secret: ["curl", f"-ume:{secret}"],
    lambda _, secret: ["curl", "-u", f"me:{secret}"],
    lambda _, secret: ["curl", f"--proxy-user=me:{secret}"],
    lambda _, secret: ["sh", "-c", f"curl -u me:{secret} https://a.example"],
    lambda _, secret: ["git", "clone", f"https://me:{secret.replace('/', '')}@a.example/x"],
    lambda _, secret: ["curl", "-H", f"Authorization: Bearer {secret}"],
]
IN_HEADS: list[Callable[[str, str], tuple[str, tuple[str, str]]]] = [
    lambda name, secret: ("/v1/responses", (name, secret)),
    lambda name, secret: (f"/v1/responses?a=1&{name}={secret}&b=2", ("a", "1")),
    lambda name, secret: (f"/v1/responses#{name}={secret}", ("a", "1")),
    lambda name, secret: ("/v1", ("location", f"https://a.example/cb?{name}={secret}")),
    lambda name, secret: ("/v1", ("link", f"<https://a.example/?b=1&{name}={secret}>; rel=next")),
    lambda _, secret: ("/v1", ("x-from", f"https://me:{secret.replace('/', '')}@a.example/")),
    lambda _, secret: ("/v1", ("x-said", f"Bearer abcdefghijkl{secret}")),
    lambda _, secret: ("/v1", ("x-said", f"sk-proj-abcdefgh{secret.translate(SHAPED)}")),
]
SHAPED = str.maketrans(dict.fromkeys("~+/="))


def taped(command: list[str], target: str, header: tuple[str, str]) -> bytes:
    """The bytes of a tape of one exchange, asked and answered with that header."""
    with tempfile.TemporaryDirectory() as folder:
        tape = Path(folder) / "t.db"
        label = TapeLabel("record", 0, "clock", json.dumps(redact_command(command)))
        with TapeWriter(tape, label, on_trouble=pytest.fail) as writer:
            capture = Capture(writer.put)
            exchange = capture.begin(
                1,
                connection="1",
                method="POST",
                scheme="https",
                host="a.example",
                port=443,
                target=target,
                http_version="HTTP/1.1",
                headers=(header,),
            )
            exchange.request_end(2)
            exchange.response_head(3, 200, "OK", "HTTP/1.1", (header,))
            exchange.end(4, EndKind.COMPLETE)
        return tape.read_bytes()


@settings(max_examples=200, deadline=None)
@given(names, secrets, st.sampled_from(IN_A_COMMAND), st.sampled_from(IN_HEADS))
def test_no_byte_of_it_is_there(
    name: str,
    secret: str,
    in_a_command: Callable[[str, str], list[str]],
    in_heads: Callable[[str, str], tuple[str, tuple[str, str]]],
) -> None:
    """On the command line, in a target, in headers of request and response."""
    contents = taped(in_a_command(name, secret), *in_heads(name, secret))
    assert MARK.encode() not in contents
    assert b"a.example" in contents
