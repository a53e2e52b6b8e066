"""``wiretape resend``: one recorded request asked of a live upstream."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from codex_tapes import (
    CALL,
    HELLO,
    NEW_UPGRADE,
    OLD_UPGRADE,
    OUTPUT,
    SAID,
    answer,
    answers,
    appends,
    asked,
    asks,
    completed,
    created,
    delta,
    done,
    failed,
    post,
)
from provider import Provider
from provider_script import Accept, Plain, Reply, Script, Written
from tapes import OTHER_SESSION, Recording, sse

from wiretape.cli import main

type Resend = Callable[..., tuple[int, str, str]]

NOBODY = "http://127.0.0.1:1"
"""Where nobody listens."""


@pytest.fixture
def resend(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Resend:
    """Runs the command on a recording: ``resend(recording, url, "--request", "1")``.

    Gives the exit code and what was printed on stdout and stderr.
    """
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    def run(recording: Recording, url: str, *options: str) -> tuple[int, str, str]:
        tape = recording.write(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        with pytest.raises(SystemExit) as exit_:
            main(["resend", str(tape), "--to", url, *options])
        said = capsys.readouterr()
        assert isinstance(exit_.value.code, int)
        return exit_.value.code, said.out, said.err

    return run


def over_http() -> Recording:
    """Two rounds over HTTP."""
    recording = Recording()
    post(recording, (HELLO,), answer(CALL))
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID))
    return recording


def appended() -> Recording:
    """Two rounds on a socket of the older client."""
    recording = Recording()
    recording.socket(
        asks(HELLO), answers(CALL), appends(CALL, OUTPUT), answers(SAID), asked_with=OLD_UPGRADE
    )
    return recording


def linked() -> Recording:
    """Two rounds on a socket of the newer client."""
    recording = Recording()
    recording.socket(
        asks(generate=False),
        answers(response="r0"),
        asks(HELLO, previous_response_id="r0"),
        answers(CALL),
        asks(OUTPUT, previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    return recording


ANSWER = Reply(Written(answer(SAID)))
SPEAKS = Script(posts=(ANSWER,), upgrades=(Accept(),), messages=(ANSWER,))


@pytest.mark.parametrize(
    ("make", "number", "how"),
    [
        (over_http, "2", "sse"),
        (appended, "2", "upgrade websocket"),
        (linked, "3", "upgrade websocket"),
    ],
)
def test_a_request_is_asked_again_with_the_whole_conversation(
    make: Callable[[], Recording], number: str, how: str, resend: Resend
) -> None:
    """Over its own transport; what it had left out because it was said before is put back."""
    with Provider(SPEAKS) as provider:
        code, out, _ = resend(make(), provider.base_url, "--request", number)
    assert code == 0
    assert out.splitlines()[1:] == [
        "= events: response.created, response.output_item.done, response.completed",
        "= items: message",
        "= usage: none",
        "= error: none",
        "= end: response.completed",
    ]
    assert provider.summary == how
    body = provider.requests[-1].body
    assert body["input"] == [HELLO, CALL, OUTPUT]
    assert (body["model"], body["instructions"]) == ("m", "Be brief.")
    assert "previous_response_id" not in body


def test_without_a_path_the_recorded_one_holds(resend: Resend) -> None:
    """A base URL has the path to it; scheme, host and port alone change nothing else."""
    with Provider(SPEAKS) as provider:
        resend(over_http(), provider.base_url.removesuffix("/v1"), "--request", "1")
        resend(over_http(), f"{provider.base_url}/elsewhere/", "--request", "1")
    targets = [each.target for each in provider.requests]
    assert targets == ["/v1/responses", "/v1/elsewhere/responses"]


REFUSED = Plain(401, '{"error":{"type":"auth_error","code":"bad_key","message":"no"}}')
DIFFERENCES: dict[str, tuple[Reply | Plain, list[str]]] = {
    "refused": (REFUSED, ["status", "events", "items", "error", "end"]),
    "failed": (
        Reply(Written((created(), done(SAID), failed()))),
        ["events", "error", "end"],
    ),
    "more of the same": (Reply(Written((created(), done(SAID), done(SAID), completed()))), []),
    "another item": (Reply(Written(answer(CALL))), ["items"]),
    "usage": (
        Reply(
            Written(
                (
                    created(),
                    done(SAID),
                    {
                        "type": "response.completed",
                        "response": {"id": "r1", "usage": {"input_tokens": 1, "a": {"b": 2}}},
                    },
                )
            )
        ),
        ["usage"],
    ),
    "no end": (Reply(Written((created(), done(SAID)))), ["events", "end"]),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_the_shapes_of_the_answers_are_compared(name: str, resend: Resend) -> None:
    """What differs from one answer to the next is no difference; the rest is, and is named."""
    behaviour, names = DIFFERENCES[name]
    with Provider(Script(posts=(behaviour,))) as provider:
        code, out, _ = resend(over_http(), provider.base_url, "--request", "2", "--json")
    assert json.loads(out)["differs_in"] == names
    assert code == (1 if names else 0)


def test_the_json_has_both_shapes(resend: Resend) -> None:
    """Where the request stands on the tape, and each shape field by field."""
    with Provider(Script(posts=(REFUSED,))) as provider:
        _, out, _ = resend(over_http(), provider.base_url, "--request", "2", "--json")
    found: dict[str, Any] = json.loads(out)
    assert (found["exchange"], found["message"]) == (2, None)
    assert found["recorded"] == {
        "status": 200,
        "events": ["response.created", "response.output_item.done", "response.completed"],
        "items": ["message"],
        "usage": [],
        "error": [],
        "end": "response.completed",
    }
    assert found["live"] == {
        "status": 401,
        "events": [],
        "items": [],
        "usage": [],
        "error": ["auth_error", "bad_key"],
        "end": "a refusal",
    }


def test_a_difference_is_shown_from_both_sides(resend: Resend) -> None:
    """For a person: what is equal on a line, what is not on three."""
    with Provider(Script(posts=(Reply(Written(answer(CALL))),))) as provider:
        _, out, _ = resend(over_http(), provider.base_url, "--request", "2")
    assert out.splitlines()[2:5] == [
        "≠ items",
        "    recorded: message",
        "    live:     function_call",
    ]


def test_a_long_list_is_cut_to_where_it_differs(resend: Resend) -> None:
    """One entry before and one after stay; the rest that is alike is left out."""
    events = (created(), done(SAID), delta("h"), done(SAID), completed())
    strange = (*events[:3], {"type": "response.dream"}, *events[3:])
    recording = Recording()
    post(recording, (HELLO,), events)
    with Provider(Script(posts=(Reply(Written(strange)),))) as provider:
        _, out, _ = resend(recording, provider.base_url, "--request", "1")
    assert out.splitlines()[1:4] == [
        "≠ events",
        "    recorded: …, response.output_text.delta, response.output_item.done, …",
        "    live:     …, response.output_text.delta, response.dream, response.output_item.done, …",
    ]


# Who asks.


def sent(resend: Resend, *options: str) -> dict[str, str]:
    """The headers with which a request is sent again."""
    recording = Recording()
    recording.post(
        asked(HELLO),
        sse(*answer(SAID)),
        asked_with=(
            ("authorization", "[removed: authorization]"),
            ("originator", "codex_exec"),
            ("x-codex-turn-state", "old"),
            ("connection", "keep-alive"),
        ),
    )
    with Provider(SPEAKS) as provider:
        code, out, err = resend(recording, provider.base_url, "--request", "1", *options)
    assert code == 0
    assert "secret" not in out + err
    return dict(provider.requests[0].headers)


def test_the_recorded_headers_are_sent_without_what_has_gone(resend: Resend) -> None:
    """Not those of the connection and of the turn, nor the word for a secret that was removed."""
    headers = sent(resend)
    assert headers["originator"] == "codex_exec"
    assert headers.keys().isdisjoint({"authorization", "x-codex-turn-state", "connection"})


def test_the_environment_has_the_key(resend: Resend, monkeypatch: pytest.MonkeyPatch) -> None:
    """``OPENAI_API_KEY`` is the authorization, and is not printed."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert sent(resend)["authorization"] == "Bearer sk-secret"


def test_a_given_header_comes_first(resend: Resend, monkeypatch: pytest.MonkeyPatch) -> None:
    """It replaces the recorded one of that name, and the key of the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-other")
    headers = sent(resend, "--header", "Authorization=Bearer secret", "--header", "originator=me=1")
    assert headers["authorization"] == "Bearer secret"
    assert headers["originator"] == "me=1"


# What makes no sense.


def test_an_upstream_that_is_not_there_is_one_sentence(resend: Resend) -> None:
    """Exit code 2, over either transport."""
    why = "Connection refused (os error 111)"
    said = f"wiretape: {NOBODY} cannot be reached ({why}): check the address.\n"
    assert resend(over_http(), NOBODY, "--request", "1") == (2, "", said)
    assert resend(appended(), NOBODY, "--request", "1") == (2, "", said)


def test_a_request_that_is_not_there_is_one_sentence(resend: Resend) -> None:
    """It says how many there are."""
    code, _, err = resend(over_http(), NOBODY, "--request", "3")
    assert code == 2
    assert err.startswith("wiretape: there is no request 3 in a session of 2: `wiretape show ")


def test_a_session_must_be_named_where_there_are_several(resend: Resend) -> None:
    """Requests are counted in each session by itself."""
    recording = over_http()
    recording.post(asked(HELLO), sse(*answer(SAID)), session=OTHER_SESSION)
    code, _, err = resend(recording, NOBODY, "--request", "1")
    assert code == 2
    assert err.endswith(" has 2 sessions: name one with --session.\n")
    with Provider(SPEAKS) as provider:
        code, _, _ = resend(
            recording, provider.base_url, "--request", "1", "--session", OTHER_SESSION[:13]
        )
    assert code == 0
    assert dict(provider.requests[0].headers)["session_id"] == OTHER_SESSION


def test_a_session_that_is_not_there_is_one_sentence(resend: Resend) -> None:
    """As in every command."""
    code, _, err = resend(over_http(), NOBODY, "--request", "1", "--session", "nobody")
    assert code == 2
    assert "has no session 'nobody': `wiretape ls " in err


@pytest.mark.parametrize("url", ["nowhere", "ftp://host", "http://"])
def test_an_upstream_that_is_no_url_is_one_sentence(url: str, resend: Resend) -> None:
    """Nothing is sent."""
    code, out, err = resend(over_http(), url, "--request", "1")
    assert (code, out) == (2, "")
    assert err == (
        f"wiretape: {url!r} is no upstream: give a base URL, like https://api.openai.com/v1.\n"
    )


@pytest.mark.parametrize("said", ["secret", "=secret", "a b=secret"])
def test_a_header_that_is_none_is_refused_unseen(said: str, resend: Resend) -> None:
    """It may be a secret, so the message does not repeat it."""
    code, out, err = resend(over_http(), NOBODY, "--request", "1", "--header", said)
    assert (code, out) == (2, "")
    assert "secret" not in err and "give NAME=VALUE" in err


def test_a_request_that_was_no_json_cannot_be_sent_again(resend: Resend) -> None:
    """There is nothing to put the conversation into."""
    recording = Recording()
    recording.post(b"{", sse(*answer(SAID)))
    code, _, err = resend(recording, NOBODY, "--request", "1")
    assert code == 2
    assert "what exchange 1 asked is no JSON on this tape" in err


def test_a_request_that_was_never_sent_cannot_be_sent_again(resend: Resend) -> None:
    """Of a refused upgrade nobody knows what would have been asked."""
    recording = Recording()
    recording.refused_upgrade(500)
    code, _, err = resend(recording, NOBODY, "--request", "1")
    assert code == 2
    assert "asks for no response, or was never sent" in err
