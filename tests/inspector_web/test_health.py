"""How a session went, in a few words."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, failed, session

from inspector_web.ends import said
from inspector_web.health import (
    Chip,
    Sort,
    Tale,
    Tone,
    chips_of,
    named,
    tales_of,
    tone_of,
)
from wiretape.asked import RequestKind
from wiretape.facts import EndKind, Sender
from wiretape.origins import Role
from wiretape.reasons import Why
from wiretape.reconstruct import sessions_of
from wiretape.said import Outcome
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader


def session_on(path: Path) -> Session:
    with TapeReader(path) as reader:
        return sessions_of(reader)[0]


def test_a_session_that_fell_back(fallback: Path) -> None:
    """How it ended first, then what was out of the ordinary."""
    assert chips_of(session_on(fallback), gaps=2) == (
        Chip(Sort.COMPLETED, Tone.GOOD, "completed"),
        Chip(Sort.RETRY, Tone.WARN, "1 retry"),
        Chip(Sort.FALLBACK, Tone.WARN, "1 fallback"),
        Chip(Sort.GAP, Tone.BAD, "2 gaps"),
    )


def test_the_tale_of_a_fallback(fallback: Path) -> None:
    """Tries that went the same way are one step; the last step is how it ended."""
    assert tales_of(session_on(fallback)) == (
        Tale(
            1,
            False,
            ("WebSocket, 2 tries: cut: closed 1011 no luck", "fallback to HTTP: completed"),
            Tone.GOOD,
        ),
    )


def test_a_healthy_session_has_no_tale(rounds: Path) -> None:
    """Its one chip says that it was completed."""
    session_here = session_on(rounds)
    assert tales_of(session_here) == ()
    assert chips_of(session_here, gaps=0) == (Chip(Sort.COMPLETED, Tone.GOOD, "completed"),)


def test_a_long_silence_has_a_chip(rounds: Path) -> None:
    """With its length, where there was one."""
    assert chips_of(session_on(rounds), gaps=0, silence_us=7_000_000) == (
        Chip(Sort.COMPLETED, Tone.GOOD, "completed"),
        Chip(Sort.SILENCE, Tone.WARN, "silent for 7.0 s"),
    )


@pytest.mark.parametrize(
    ("how", "side", "words"),
    [
        (EndKind.SERVER_CLOSED, Sender.SERVER, "cut: the server hung up"),
        (EndKind.RESET, Sender.SERVER, "cut: connection reset"),
        (EndKind.COMPLETE, None, "cut: the stream ended early"),
        (EndKind.RECORDER_STOPPED, None, "not over: the recorder stopped"),
    ],
)
def test_ends_in_words(tmp_path: Path, how: EndKind, side: Sender | None, words: str) -> None:
    """The wire's own names of ends become words for people."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())
    post.end(20, how, side)
    assert said(session_on(maker.write()).tries[0].attempt) == words


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_words_and_a_tone(fallback: Path, outcome: Outcome) -> None:
    """What the core may say of an attempt, a page can show."""
    attempt = replace(session_on(fallback).tries[0].attempt, outcome=outcome)
    assert said(attempt).endswith(" no luck")
    assert tone_of(outcome) in Tone


def test_a_long_failure_is_cut(tmp_path: Path) -> None:
    """A server may say as much as it likes; its event has all of it."""
    maker = TapeMaker(tmp_path / "tape.db")
    maker.post(0, ask("one"), session("s")).answer(5, failed("server_error", "long " * 100))
    words = said(session_on(maker.write()).tries[0].attempt)
    assert words.startswith("failed: server_error: long long")
    assert len(words) == 201


def test_failures_in_words(tmp_path: Path) -> None:
    """A status is what was answered; an event's error is told with its code."""
    maker = TapeMaker(tmp_path / "tape.db")
    maker.post(0, ask("one"), session("s")).refuse(5, 429)
    maker.post(10, ask("two"), session("s")).answer(15, failed("server_error", "later"))
    maker.post(20, ask("three"), session("s")).answer(25, created(), completed())
    tries = session_on(maker.write()).tries
    assert [said(each.attempt) for each in tries] == [
        "answered 429 Too Many Requests",
        "failed: server_error: later",
        "completed",
    ]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Why.TOOL_FOLLOW_UP, "tool follow-up"),
        (RequestKind.WARM_UP, "warm-up"),
        (Role.WARM_UP, "warm-up"),
        (Role.SUB_AGENT, "sub-agent"),
        (Why.FIRST, "first attempt"),
        (RequestKind.CREATE, "create"),
    ],
)
def test_a_kind_has_one_name(kind: Why | RequestKind | Role, words: str) -> None:
    """On the timeline as in every table."""
    assert named(kind) == words


@pytest.mark.parametrize("kind", [*Why, *RequestKind, *Role])
def test_no_name_has_an_underscore(kind: Why | RequestKind | Role) -> None:
    """They are for people."""
    assert "_" not in named(kind)


def test_every_page_has_that_name(rounds: Path, browse: Callable[..., FlaskClient]) -> None:
    """The timeline, the tables, the turn, the request and the comparison."""
    assert rounds.exists()
    client = browse()
    for address in (
        "/tapes/rounds/sessions/1",
        "/tapes/rounds/sessions/1/requests/2/attempts/1",
        "/compare?a=rounds/1&b=rounds/1",
    ):
        page = client.get(address).text.casefold()
        assert "tool follow-up" in page, address
        assert "tool follow up" not in page, address
