"""What a request asks beyond the request before it."""

import json
from dataclasses import replace
from typing import Any

from timed_tapes import ask, message

from inspector_web.difference import Change, ChangeKind, Difference, difference_of
from inspector_web.meant import Meant, as_sent
from wiretape.asked import Asked, asked_by_message, asked_over_http
from wiretape.scope import Purpose


def http(body: Any) -> Meant:
    return meant(asked_over_http(Purpose.RESPONSES, (), json.dumps(body).encode()))


def meant(asked: Asked) -> Meant:
    """A request alone: what it goes on from is not known."""
    sent = as_sent(asked)
    return replace(sent, is_known=not sent.goes_on)


def difference(before: Any, after: Any) -> Difference:
    return difference_of(http(before), http(after))


def test_a_repeated_conversation_shows_what_is_new() -> None:
    """Items at the start that were sent before are counted and not shown."""
    found = difference(ask("one", "two"), ask("one", "two", "three"))
    assert found.repeated == 2
    assert found.items == (Change(ChangeKind.ADDED, "input[2]", after=message("three")),)
    assert found.settings == ()


def test_the_same_request_again_has_no_difference() -> None:
    """As a retry has none."""
    found = difference(ask("one"), ask("one"))
    assert found.is_empty
    assert found.repeated == 1


def test_an_item_in_another_s_place_is_changed() -> None:
    """With what stood there before and what stands there now."""
    found = difference(ask("one", "two", "three"), ask("one", "TWO", "three"))
    assert found.items == (Change(ChangeKind.CHANGED, "input[1]", message("two"), message("TWO")),)
    assert found.repeated == 2


def test_a_shortened_conversation_shows_what_is_gone() -> None:
    """As after a compaction."""
    found = difference(ask("one", "two", "three"), ask("three"))
    assert found.items == (
        Change(ChangeKind.REMOVED, "input[0]", before=message("one")),
        Change(ChangeKind.REMOVED, "input[1]", before=message("two")),
    )
    assert found.repeated == 1


def test_settings_are_compared_leaf_by_leaf() -> None:
    """Each with its path; lists of one length by position, others as a whole."""
    before = ask(tools=[{"name": "a"}, {"name": "b"}], reasoning={"effort": "low"}, stop=[1])
    after = ask(tools=[{"name": "a"}, {"name": "c"}], reasoning={"effort": "high"}, stop=[1, 2])
    after["model"], after["extra"] = "other", True
    assert difference(before, after).settings == (
        Change(ChangeKind.CHANGED, "model", "gpt-5.2-codex", "other"),
        Change(ChangeKind.CHANGED, "tools[1].name", "b", "c"),
        Change(ChangeKind.CHANGED, "reasoning.effort", "low", "high"),
        Change(ChangeKind.CHANGED, "stop", [1], [1, 2]),
        Change(ChangeKind.ADDED, "extra", after=True),
    )


def test_true_is_not_one() -> None:
    """JSON tells them apart, though Python does not."""
    assert difference(ask(store=True), ask(store=1)).settings == (
        Change(ChangeKind.CHANGED, "store", True, 1),
    )


def test_a_request_that_goes_on_from_a_response_is_not_compared() -> None:
    """Where the tape does not have it: its input is all new."""
    found = difference(ask("one", "two"), ask("three", previous_response_id="resp_1"))
    assert (found.repeated, found.goes_on, found.continues) == (0, True, "resp_1")
    assert found.items == (Change(ChangeKind.ADDED, "input[0]", after=message("three")),)


def test_an_append_is_all_new() -> None:
    """``response.append`` sends only what is new, and leaves the settings as they are."""
    append = json.dumps({"type": "response.append", "input": [message("two")]}).encode()
    found = difference_of(http(ask("one")), meant(asked_by_message((), append)))
    assert found.items == (Change(ChangeKind.ADDED, "input[0]", after=message("two")),)
    assert (found.settings, found.goes_on, found.continues) == ((), True, None)


def test_a_body_that_is_no_json_differs_as_a_whole() -> None:
    """There is nothing to compare it by."""
    broken = asked_over_http(Purpose.RESPONSES, (), b"not json")
    found = difference_of(http(ask("one")), meant(broken))
    assert [(change.kind, change.path) for change in found.settings] == [
        (ChangeKind.CHANGED, "body")
    ]


def test_many_changes_are_cut() -> None:
    """Two hundred are told, and that there are more."""
    found = difference(ask(), ask(*map(str, range(300))))
    assert len(found.items) == 200
    assert found.is_cut
