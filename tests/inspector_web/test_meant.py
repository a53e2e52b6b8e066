"""What a request meant, however little of it was sent."""

from pathlib import Path
from typing import Any

import pytest
from declared import REPOSITORY
from indexed import indexed, make_index
from timed_tapes import (
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    message,
    output,
    session,
)

from inspector_web.difference import Change, ChangeKind, Difference, difference_of
from inspector_web.meant import Meanings, Meant
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader

TOOLS = [{"name": "shell"}]
CALL = call("call_1", id="fc_1", status="completed")
WHOLE = [message("List."), call("call_1"), output("call_1", "a b")]


def meanings(tape: Path) -> list[Meant]:
    """What each attempt on the tape meant, in order."""
    with TapeReader(tape) as reader, indexed(tape) as index:
        (found,) = sessions_of(reader)
        told = Meanings(reader, index, found)
        return [told.meant(each.attempt) for each in found.tries]


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape."""
    return TapeMaker(tmp_path / "tape.db")


def follow_up(maker: TapeMaker, *, kind: str, **more: Any) -> list[Meant]:
    """The round on a socket that closes, and then all of it again over HTTP."""
    socket = maker.socket(0, session("s"))
    socket.ask(10, ask("List.", tools=TOOLS))
    socket.say(20, created("resp_1"), delta(), done(CALL), completed("resp_1"))
    sent = {"input": [output("call_1", "a b")]} | more
    socket.ask(30, sent, kind=kind)
    socket.close(40, 1011)
    body = {"model": "gpt-5.2-codex", "tools": TOOLS, "input": WHOLE}
    maker.post(50, body, session("s")).answer(60, created("resp_2"), completed("resp_2"))
    return meanings(maker.write())


@pytest.mark.parametrize(
    ("kind", "more"),
    [
        ("response.append", {}),
        (
            "response.create",
            {"previous_response_id": "resp_1", "model": "gpt-5.2-codex", "tools": TOOLS},
        ),
    ],
)
def test_a_retry_that_says_it_all_means_the_same(
    maker: TapeMaker, kind: str, more: dict[str, Any]
) -> None:
    """As what was added to a socket before, or sent on from a response."""
    first, added, again = follow_up(maker, kind=kind, **more)
    assert added.goes_on and added.is_known
    assert (len(added.items), added.sent_from) == (3, 2)
    found = difference_of(added, again)
    assert found.is_empty
    assert (found.repeated, found.goes_on) == (3, False)
    assert difference_of(first, added) == Difference(
        1,
        True,
        more.get("previous_response_id"),
        True,
        (
            Change(ChangeKind.ADDED, "conversation[1]", after=CALL),
            Change(ChangeKind.ADDED, "input[0]", after=output("call_1", "a b")),
        ),
        (),
        False,
    )


def test_an_addition_that_repeats_what_was_said_means_it_once(maker: TapeMaker) -> None:
    """As Codex adds the call and its output, without the server's name for the call."""
    repeats = {"input": [call("call_1", namespace=None), output("call_1", "a b")]}
    _, added, again = follow_up(maker, kind="response.append", **repeats)
    assert (len(added.items), added.sent_from) == (3, 1)
    assert difference_of(added, again).is_empty


def test_with_and_without_an_index_it_is_the_same(maker: TapeMaker) -> None:
    """The index only says where to look."""
    without = follow_up(maker, kind="response.append")
    make_index(maker.path)
    assert meanings(maker.path) == without


def test_what_is_not_on_the_tape_is_not_made_up(maker: TapeMaker) -> None:
    """The items that were sent are all that is known."""
    socket = maker.socket(0, session("s"))
    socket.ask(10, ask("And then?", previous_response_id="resp_lost"))
    socket.say(20, created(), completed())
    (found,) = meanings(maker.write())
    assert (found.is_known, found.continues, found.items) == (
        False,
        "resp_lost",
        [message("And then?")],
    )


def test_a_chain_is_followed_to_its_begin(maker: TapeMaker) -> None:
    """Additions to additions, each with what was answered in between."""
    socket = maker.socket(0, session("s"))
    socket.ask(10, ask("one"))
    socket.say(11, created("resp_1"), completed("resp_1", output=[message("1", "assistant")]))
    for at_ms, words in ((20, "two"), (30, "three")):
        socket.ask(at_ms, {"input": [message(words)]}, kind="response.append")
        answer = [message(words.upper(), "assistant")]
        socket.say(at_ms + 1, created(words), completed(words, output=answer))
    last = meanings(maker.write())[-1]
    said = [item["content"][0]["text"] for item in last.items]
    assert said == ["one", "1", "two", "TWO", "three"]
    assert last.settings == {"model": "gpt-5.2-codex"}


def test_retries_of_a_real_client_ask_for_nothing_new() -> None:
    """Over a socket and over HTTP, after an addition that only said what was new."""
    sample = REPOSITORY / "recordings" / "samples" / "websocket-fallback" / "tape.db"
    added, *retries = meanings(sample)[1:]
    assert added.is_addition
    assert len(retries) == 3
    assert [difference_of(added, each).items for each in retries] == [(), (), ()]
