"""Two sessions side by side: what belongs together, and where they part."""

from pathlib import Path
from typing import Any

import pytest
from comparisons import Compare, told
from declared import REPOSITORY
from tapes import (
    CUT,
    JSON_HEADERS,
    Recording,
    answer,
    asks,
    create,
    error_body,
    message,
    says,
    sse,
    wants,
)

from wiretape.comparing.pairs import Comparison

SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))
OTHER = "01990000-bbbb-7000-8000-00000000000"


def talk(*bodies: dict[str, Any], answers: tuple[str, ...] = (), session: str = "s") -> Recording:
    """Each of these is asked, and answered with its number, or with the words given for it."""
    recording = Recording()
    for number, body in enumerate(bodies):
        text = answers[number] if number < len(answers) else f"answer {number}"
        recording.post(body, sse(*answer(text, f"resp_{number}")), session=session)
    return recording


def pairs(comparison: Comparison) -> list[tuple[int | None, int | None]]:
    """The numbers of the requests that belong together."""
    return [
        (pair.a.number if pair.a else None, pair.b.number if pair.b else None)
        for pair in comparison.requests
    ]


@pytest.mark.parametrize("tape", SAMPLES, ids=lambda path: path.parent.name)
def test_a_session_is_equal_to_itself(compare: Compare, tape: Path) -> None:
    """With every turn, request, attempt and event of it paired, and nothing left out."""
    comparison = compare(tape, tape)
    assert comparison.is_equal
    assert comparison.left_out == ()
    assert [turn.a for turn in comparison.turns] == comparison.a.turns
    attempts = [attempt for pair in comparison.requests for attempt in pair.attempts]
    assert [attempt.a for attempt in attempts] == comparison.a.tries
    assert all(event.is_same for attempt in attempts for event in attempt.events)


def test_what_was_asked_differs_in_the_clients_terms(compare: Compare) -> None:
    """An item, an instruction, a tool, a setting, each at its path."""
    tools = [{"type": "function", "name": "shell"}, {"type": "function", "name": "patch"}]
    a = talk(create("hi"))
    b = talk(create("ho", instructions="Be long.", tools=tools, effort="high"))
    assert told(compare(a, b)) == [
        ("instructions", "Be brief.", "Be long."),
        ("input[0].content[0].text", "hi", "ho"),
        ("tools[1].name", "plan", "patch"),
        ("effort", None, "high"),
    ]


def test_headers_count(compare: Compare) -> None:
    """Those that mean something; others are named as left out."""
    a, b = Recording(), Recording()
    for recording, beta, agent in ((a, "one", "codex/1"), (b, "two", "codex/2")):
        headers = (*JSON_HEADERS, ("openai-beta", beta), ("user-agent", agent))
        recording.post(create("hi"), sse(*answer("a")), asked_with=headers)
    comparison = compare(a, b)
    assert told(comparison) == [("headers.openai-beta", "one", "two")]
    assert comparison.left_out == ("headers.user-agent",)


def test_what_came_back_differs_once(compare: Compare) -> None:
    """However often a text is said again in events, and however it was cut."""
    item = {"id": "msg_1", "type": "message", "role": "assistant"}

    def says_in_pieces(*pieces: str) -> Recording:
        place = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
        whole = {**item, "content": [{"type": "output_text", "text": "".join(pieces)}]}
        recording = Recording()
        recording.post(
            create("hi"),
            sse(
                {"type": "response.created", "response": {"id": "resp_1"}},
                {"type": "response.output_item.added", "output_index": 0, "item": item},
                *(
                    {"type": "response.output_text.delta", "delta": piece, **place}
                    for piece in pieces
                ),
                {"type": "response.output_text.done", "text": "".join(pieces), **place},
                {"type": "response.output_item.done", "output_index": 0, "item": whole},
                {"type": "response.completed", "response": {"id": "resp_1"}},
            ),
        )
        return recording

    assert compare(says_in_pieces("Mo", "onday"), says_in_pieces("Moonday")).is_equal
    assert told(compare(says_in_pieces("Moonday"), says_in_pieces("Sunday"))) == [
        ("answer.output[0].content[0].text", "Moonday", "Sunday")
    ]


def test_how_it_ended_counts(compare: Compare) -> None:
    """Of two attempts over the same transport."""
    a, b = Recording(), Recording()
    a.post(create("hi"), sse(*answer("a")))
    b.post(create("hi"), sse(*answer("a")[:2]), CUT)
    assert told(compare(a, b)) == [
        ("answer.outcome", "completed", "cut"),
        ("answer.detail", None, "server_closed"),
    ]


def test_an_attempt_more_is_one_divergence(compare: Compare) -> None:
    """A retry does not shift what comes after it."""
    a, b = talk(create("hi"), create("hi", "ho")), Recording()
    b.post(create("hi"), (error_body("busy"),), status=503, headers=JSON_HEADERS, session="s")
    b.post(create("hi"), sse(*answer("answer 0", "resp_0")), session="s")
    b.post(create("hi", "ho"), sse(*answer("answer 1", "resp_1")), session="s")
    comparison = compare(a, b)
    assert [path for path, _, _ in told(comparison)] == ["attempt"]
    assert comparison.divergences[0].difference.replayed == "first http create http_error"


def test_a_request_more_is_one_divergence(compare: Compare) -> None:
    """Those before and behind it belong together all the same."""
    a = talk(create("a"), create("c"), answers=("A", "C"))
    b = talk(create("a"), create("b"), create("c"), answers=("A", "B", "C"))
    comparison = compare(a, b)
    assert pairs(comparison) == [(1, 1), (None, 2), (2, 3)]
    assert told(comparison) == [("request", None, "first http create completed")]


def test_how_long_a_tool_took_tells_nothing(compare: Compare) -> None:
    """A request is found again by what its tool gave."""

    def outputs(took: str, *words: str) -> Recording:
        bodies = [create("go")]
        for number, word in enumerate(words):
            gave = f"Exit code: 0\nWall time: {took} seconds\nOutput:\n{word}"
            call = {"call_id": f"call_{number}"}
            bodies.append(
                create(
                    input=[
                        *bodies[-1]["input"],
                        {"type": "function_call", "name": "run", "arguments": "{}", **call},
                        {"type": "function_call_output", "output": gave, **call},
                    ]
                )
            )
        return talk(*bodies)

    comparison = compare(outputs("0.1", "three"), outputs("0.2", "two", "three"))
    assert pairs(comparison) == [(1, 1), (None, 2), (2, 3)]


def test_ids_correspond(compare: Compare) -> None:
    """Those of the client and those of the server; but each always to the same one."""

    def goes_on(session: str, response: str, after: str) -> Recording:
        recording = Recording()
        recording.post(create("a"), sse(*answer("A", response)), session=session)
        body = create("b", previous_response_id=after)
        recording.post(body, sse(*answer("B", "resp_zz1")), session=session)
        return recording

    one = goes_on(f"{OTHER}1", "resp_aa1", "resp_aa1")
    assert compare(one, goes_on(f"{OTHER}2", "resp_bb1", "resp_bb1")).is_equal
    uuid = "msg_01990000-cccc-7000-8000-000000000001"
    assert compare(one, goes_on(f"{OTHER}2", uuid, uuid)).is_equal
    assert told(compare(one, goes_on(f"{OTHER}2", "resp_bb1", "resp_cc1"))) == [
        ("previous_response_id", "resp_aa1", "resp_cc1")
    ]


def test_a_word_is_no_id(compare: Compare) -> None:
    """Names in code may begin as the server's ids do."""
    a, b = talk(create("rename call_count")), talk(create("rename call_total"))
    assert [path for path, _, _ in told(compare(a, b))] == ["input[0].content[0].text"]


def test_what_is_new_each_time_is_named_and_left_out(compare: Compare) -> None:
    """In what is asked: opaque members, and the client's notes of its session."""
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    a, b = (
        talk(
            create(
                input=[{**reasoning, "encrypted_content": secret}, message("go on")],
                client_metadata={"turn": secret},
            )
        )
        for secret in ("opaque-1", "opaque-2")
    )
    comparison = compare(a, b)
    assert comparison.is_equal
    assert comparison.left_out == ("client_metadata", "encrypted_content")


def test_messages_of_a_socket_are_attempts(compare: Compare) -> None:
    """Each is compared with its own answer; the handshake's headers with the first of them."""
    a, b = Recording(), Recording()
    for recording, word, beta in ((a, "two", "x"), (b, "2", "y")):
        recording.socket(
            wants(asks("one")), says(*answer("one", "resp_1")),
            wants(asks("one", word)), says(*answer("two", "resp_2")),
            asked_with=(("openai-beta", beta),),
        )  # fmt: skip
    assert told(compare(a, b)) == [
        ("headers.openai-beta", "x", "y"),
        ("input[1].content[0].text", "two", "2"),
    ]


def test_events_are_paired_by_their_types(compare: Compare) -> None:
    """Deltas in a row are one; an event more stands alone, and counts as said."""
    limits = {"type": "codex.rate_limits", "plan": "plus"}
    a, b = Recording(), Recording()
    a.post(create("hi"), sse(*answer("A")))
    b.post(create("hi"), sse(limits, *answer("A")))
    comparison = compare(a, b)
    (attempt,) = (attempt for pair in comparison.requests for attempt in pair.attempts)
    assert [
        (pair.a and pair.a.type, pair.b and pair.b.type, pair.is_same) for pair in attempt.events
    ] == [
        (None, "codex.rate_limits", False),
        ("response.created", "response.created", True),
        ("response.output_text.delta", "response.output_text.delta", True),
        ("response.completed", "response.completed", True),
    ]
    assert told(comparison) == [("answer.other_events", None, [limits])]


def test_chats_are_compared_chunk_by_chunk(compare: Compare) -> None:
    """The older wire has no items: what was said is its chunks."""
    a, b = Recording(), Recording()
    for recording, word in ((a, "Moonday"), (b, "Sunday")):
        chunk = b'data: {"choices":[{"delta":{"content":"%b"}}]}\n\n' % word.encode()
        asked = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
        recording.post(asked, (chunk, b"data: [DONE]\n\n"), path="/chat/completions")
    assert told(compare(a, b)) == [
        ("answer.chunks[0].choices[0].delta.content", "Moonday", "Sunday")
    ]
