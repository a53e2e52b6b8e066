"""Where a request is not as it was recorded: the paths, in the client's own terms."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tapes import create, message

from wiretape.asked import Asked, RequestKind, asked_by_message, asked_over_http
from wiretape.facts import Headers
from wiretape.likeness import Change, Correspondence, Difference, differences
from wiretape.scope import Purpose

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
X = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
Y = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


def asked(body: Any, headers: Headers = ()) -> Asked:
    return Asked(RequestKind.CREATE, None, headers, body, b"")


def found(left: Any, right: Any, ids: Correspondence | None = None) -> list[Difference]:
    return list(differences(asked(left), asked(right), ids or Correspondence()))


def paths(left: Any, right: Any) -> list[str]:
    return [difference.path for difference in found(left, right)]


@given(VALUES)
def test_what_is_equal_has_no_difference(value: Any) -> None:
    """Any JSON is like itself."""
    assert found({"value": value}, {"value": value}) == []


@given(VALUES, VALUES)
def test_what_is_not_equal_has_a_difference(left: Any, right: Any) -> None:
    """No difference means equality, where there are no ids and no volatile parts; and a
    difference is one whichever of the two was recorded."""
    one, other = {"value": left}, {"value": right}
    is_equal = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (found(one, other) == []) is is_equal
    assert sorted(paths(one, other)) == sorted(paths(other, one))


@pytest.mark.parametrize(
    ("left", "right", "path"),
    [
        ({"a": 1}, {"a": 2}, "a"),
        ({"a": 1}, {"a": True}, "a"),
        ({"a": 1}, {"a": 1.0}, "a"),
        ({"a": None}, {}, "a"),
        ({}, {"a": None}, "a"),
        ({"a": {"b": [0, {"c": "x"}]}}, {"a": {"b": [0, {"c": "y"}]}}, "a.b[1].c"),
        ({"a": []}, {"a": {}}, "a"),
        ({"a": "1"}, {"a": 1}, "a"),
    ],
)
def test_the_path_leads_to_the_value(left: Any, right: Any, path: str) -> None:
    """Members by name, items by index, and types count: 1 is not true, nor 1.0."""
    assert paths(left, right) == [path]


def test_a_changed_input_item_is_named_by_its_text() -> None:
    """A changed word is one difference, at the text that it stands in."""
    left, right = create("one", "two", "three"), create("one", "zwei", "three")
    assert found(left, right) == [
        Difference("input[1].content[0].text", Change.CHANGED, "two", "zwei")
    ]


@pytest.mark.parametrize(
    ("recorded", "replayed", "path"),
    [
        (["one", "two", "three"], ["one", "two", "three", "four"], "input[3]"),
        (["one", "two", "three"], ["zero", "one", "two", "three"], "input[0]"),
        (["one", "two", "three"], ["one", "new", "two", "three"], "input[1]"),
        (["one", "two", "two"], ["one", "two", "two", "two"], "input[3]"),
        ([], ["one"], "input[0]"),
    ],
)
def test_an_item_put_in_is_one_difference(
    recorded: list[str], replayed: list[str], path: str
) -> None:
    """Wherever an item is added, the ones behind it are still the same; and left out, likewise."""
    added = found(create(*recorded), create(*replayed))
    assert [(each.path, each.change) for each in added] == [(path, "added")]
    removed = found(create(*replayed), create(*recorded))
    assert [(each.path, each.change) for each in removed] == [(path, "removed")]


def test_an_item_changed_and_one_added_are_two_differences() -> None:
    """The changed item is compared with the one that it was, not with its neighbour."""
    left, right = create("one", "two", "three"), create("one", "zwei", "three", "four")
    assert paths(left, right) == ["input[1].content[0].text", "input[3]"]


def call(name: str, call_id: str, **said: str) -> dict[str, str]:
    return {"type": "function_call", "name": name, "call_id": call_id, **said}


def output(call_id: str, text: str) -> dict[str, str]:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def test_an_item_left_out_and_others_changed_are_as_many_differences() -> None:
    """A call, and an output, belong to the one of the same call, wherever they stand."""
    left = [
        message("do it"),
        call("shell", "a", arguments="ls"),
        message("Warning: use the tool."),
        output("a", "one"),
        call("shell", "b", arguments="ls"),
        call("plan", "c", arguments="{}"),
        output("b", "two"),
        output("c", "three"),
    ]
    right = [each for each in left if each != message("Warning: use the tool.")]
    right[2] = output("a", "eins")
    right[4] = call("plan", "c", arguments="[]")
    right[5] = output("b", "zwei")
    assert paths({"input": left}, {"input": right}) == [
        "input[2]",
        "input[3].output",
        "input[5].arguments",
        "input[6].output",
    ]


def test_an_item_put_in_the_place_of_another_is_two_differences() -> None:
    """Lists as long as each other may hold other items: what came and what went are told, and
    not every member in which the two differ, nor those between them."""
    left = [message("one"), call("shell", "a"), output("a", "x"), message("two")]
    right = [message("one"), output("a", "x"), message("two"), call("plan", "b")]
    assert [(each.path, each.change) for each in found({"input": left}, {"input": right})] == [
        ("input[1]", "removed"),
        ("input[3]", "added"),
    ]


def test_an_item_that_stands_where_another_stood_is_one_difference() -> None:
    """A place is told once, with both."""
    left, right = [message("one"), message("two")], [message("one"), call("shell", "a")]
    assert found({"input": left}, {"input": right}) == [
        Difference("input[1]", Change.CHANGED, message("two"), call("shell", "a"))
    ]


def test_an_item_of_which_less_is_said_is_compared_in_its_place() -> None:
    """What a script leaves open can be told by nothing else."""
    left = [{"...": "", "role": "user"}, {"...": "", "text": "b"}]
    right = [{"type": "message", "role": "user"}, {"type": "note", "text": "c"}]
    assert paths({"input": left}, {"input": right}) == ["input[1].text"]


def test_an_id_that_is_known_tells_which_of_two_items_is_missing() -> None:
    """They say the same but for it."""
    ids = Correspondence()
    assert found({"first": A, "second": B}, {"first": X, "second": Y}, ids) == []
    left, right = [{"id": A}, {"id": B}, {"n": 1}], [{"id": Y}, {"n": 2}]
    assert [each.path for each in found({"input": left}, {"input": right}, ids)] == [
        "input[0]",
        "input[2].n",
    ]


@given(st.lists(st.integers(), max_size=12, unique=True), st.data())
def test_items_left_out_are_as_many_differences(numbers: list[int], data: st.DataObject) -> None:
    """Each at its own place, however many they are and wherever they stood."""
    gone = data.draw(st.sets(st.sampled_from(range(len(numbers)))) if numbers else st.just(set()))
    left = [{"n": number} for number in numbers]
    right = [item for at, item in enumerate(left) if at not in gone]
    assert paths({"a": left}, {"a": right}) == [f"a[{at}]" for at in sorted(gone)]


def test_ids_count_in_lists_of_different_lengths() -> None:
    """Items that are the same but for their ids belong together."""
    left = {"input": [{"id": A}, {"id": B}]}
    right = {"input": [{"id": X}, message("new"), {"id": Y}]}
    assert paths(left, right) == ["input[1]"]


def test_changed_tools_are_named() -> None:
    """A tool renamed, and a tool more, have their paths."""
    tools = [{"type": "function", "name": "shell"}, {"type": "function", "name": "plan"}]
    renamed = [tools[0], {"type": "function", "name": "update_plan"}]
    more = [{"type": "web_search"}, *tools]
    assert paths(create("one"), create("one", tools=renamed)) == ["tools[1].name"]
    assert paths(create("one"), create("one", tools=more)) == ["tools[0]"]


def test_a_changed_header_is_named_in_lower_case() -> None:
    """Names have no case, values do; a header more is a difference too."""
    left: Headers = (("OpenAI-Beta", "one"),)
    right: Headers = (("openai-beta", "two"), ("originator", "codex_exec"))
    assert list(differences(asked({}, left), asked({}, right), Correspondence())) == [
        Difference("headers.openai-beta", Change.CHANGED, "one", "two"),
        Difference("headers.originator", Change.ADDED, None, "codex_exec"),
    ]


def test_repeated_headers_count_in_their_order() -> None:
    """Several headers of a name are a list, as the standard has it."""
    left: Headers = (("accept", "a"), ("accept", "b"))
    right: Headers = (("accept", "b"), ("accept", "a"))
    same: Headers = (("accept", "a, b"),)
    assert [
        each.path for each in differences(asked({}, left), asked({}, right), Correspondence())
    ] == ["headers.accept"]
    assert not list(differences(asked({}, left), asked({}, same), Correspondence()))


def test_bodies_that_are_no_json_are_compared_as_bytes() -> None:
    """What cannot be parsed must be the same byte for byte."""
    one, other = (asked_over_http(Purpose.RESPONSES, (), body) for body in (b"{one", b"{other"))
    assert list(differences(one, other, Correspondence())) == [
        Difference("body", Change.CHANGED, "{one", "{other")
    ]
    assert not list(differences(one, one, Correspondence()))


def test_a_body_that_stopped_being_json_is_a_difference() -> None:
    """JSON on one side only is a difference of the body as a whole."""
    one = asked_over_http(Purpose.RESPONSES, (), b"{}")
    other = asked_over_http(Purpose.RESPONSES, (), b"")
    assert list(differences(one, other, Correspondence())) == [
        Difference("body", Change.CHANGED, "{}", "")
    ]


def test_append_instead_of_create_is_a_difference_of_the_type() -> None:
    """What kind of message it is stands in the message."""
    one = asked_by_message((), b'{"type": "response.create", "input": []}')
    other = asked_by_message((), b'{"type": "response.append", "input": []}')
    assert list(differences(one, other, Correspondence())) == [
        Difference("type", Change.CHANGED, "response.create", "response.append")
    ]


def test_an_id_may_stand_for_another() -> None:
    """Where the recording has one id the replay may have another, alone or within a text."""
    assert found({"id": A}, {"id": X}) == []
    assert found({"text": f"turn {A}, thread {B}."}, {"text": f"turn {X}, thread {Y}."}) == []
    assert found({"id": X.upper()}, {"id": Y.upper()}) == []


def test_an_id_stands_for_one_id_only() -> None:
    """Once A has been X it is X everywhere, and X is nothing else."""
    assert paths({"a": A, "b": A}, {"a": X, "b": Y}) == ["b"]
    assert paths({"a": A, "b": B}, {"a": X, "b": X}) == ["b"]
    assert paths({"a": A, "b": B, "c": A}, {"a": X, "b": Y, "c": X}) == []


def test_a_swapped_id_is_a_difference() -> None:
    """A client that answers the wrong call is found out."""
    calls = [{"call_id": A}, {"call_id": B}, {"call_id": A, "output": "a"}]
    swapped = [{"call_id": X}, {"call_id": Y}, {"call_id": Y, "output": "a"}]
    assert paths({"input": calls}, {"input": swapped}) == ["input[2].call_id"]


def test_what_corresponds_is_remembered_from_request_to_request() -> None:
    """The correspondence of one request holds for the next one."""
    ids = Correspondence()
    assert found({"id": A}, {"id": X}, ids) == []
    assert [each.path for each in found({"id": A}, {"id": Y}, ids)] == ["id"]


def test_a_copy_of_a_correspondence_can_be_thrown_away() -> None:
    """What is tried out on a copy leaves the original as it was."""
    ids = Correspondence()
    assert ids.copy().accepts(A, X)
    assert ids.accepts(A, Y)


def test_an_id_and_another_text_are_not_alike() -> None:
    """Only an id stands for an id, and the text around it counts."""
    assert paths({"id": A}, {"id": "none"}) == ["id"]
    assert paths({"id": f"{A}"}, {"id": f"{X}:0"}) == ["id"]


def test_a_difference_holds_both_values_whole() -> None:
    """Values are JSON as it was sent, however long; what is on one side only says so."""
    text, items = "x" * 10_000, [{"n": number} for number in range(1000)]
    assert found({"a": text, "b": items}, {"a": text + "!", "c": None}) == [
        Difference("a", Change.CHANGED, text, text + "!"),
        Difference("b", Change.REMOVED, items, None),
        Difference("c", Change.ADDED, None, None),
    ]


@pytest.mark.parametrize(
    ("recorded", "replayed", "told"),
    [
        ("limit=1", "limit=2", [Difference("query.limit", Change.CHANGED, "1", "2")]),
        ("", "store=", [Difference("query.store", Change.ADDED, None, "")]),
        ("a=1&a=2", "a=1", [Difference("query.a", Change.CHANGED, "1, 2", "1")]),
        ("a=1&b=2", "b=2&a=1", []),
        ("a=%20x", "a=+x", []),
        (f"id={A}", f"id={X}", []),
    ],
)
def test_the_query_counts(recorded: str, replayed: str, told: list[Difference]) -> None:
    """By the names and values of its parameters, as they mean; their order is the client's."""
    one, other = (
        Asked(RequestKind.CREATE, None, (), {}, b"", query) for query in (recorded, replayed)
    )
    assert list(differences(one, other, Correspondence())) == told


def nested(depth: int, *, ends_in: Any = 0) -> Any:
    value = ends_in
    for _ in range(depth):
        value = [value]
    return value


def test_a_body_nested_too_deeply_is_compared_as_text() -> None:
    """No client sends one; and if it does, nothing of ours ends by it."""
    one, other, alike = (
        asked_over_http(Purpose.RESPONSES, (), body)
        for body in (b"[" * 900 + b"]" * 900, b"[" * 901 + b"]" * 901, b"[" * 900 + b"]" * 900)
    )
    (difference,) = differences(one, other, Correspondence())
    assert (difference.path, len(difference.recorded), len(difference.replayed)) == (
        "body",
        1800,
        1802,
    )
    assert not list(differences(one, alike, Correspondence()))


def test_a_value_nested_too_deeply_is_told_as_text() -> None:
    """However it came in: put in, or in the place of something else."""
    deep = nested(200)
    for left, right in (({}, {"a": deep}), ({"a": 0}, {"a": deep}), ([deep], [deep, 0])):
        one, other = (
            Asked(RequestKind.CREATE, None, (), body, json.dumps(body).encode())
            for body in (left, right)
        )
        assert [each.path for each in differences(one, other, Correspondence())] == ["body"]


def test_lists_of_other_lengths_within_each_other_take_no_time() -> None:
    """Finding out which items belong together does not double with every level."""
    left, right = nested(60, ends_in=[]), nested(60, ends_in=[])
    for _ in range(35):
        left, right = [left, 1], [right, 2, 3]
    assert paths({"a": left}, {"a": right}) != []
