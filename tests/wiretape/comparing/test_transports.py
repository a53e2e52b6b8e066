"""The same over different transports, side by side: only what was asked and answered counts."""

from collections.abc import Callable
from typing import Any

import pytest
from comparisons import Compare, told
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
    server_closed,
    sse,
    wants,
    warm_up,
)

CALL = {"type": "function_call", "call_id": "call_1", "name": "run", "arguments": "{}"}
REPEATED = {**CALL, "id": "fc_1"}
BETA = (("openai-beta", "responses_websockets=2026-02-06"),)
CLOSED = server_closed(1011, "busy")


def output(text: str = "done") -> dict[str, Any]:
    """What the tool gave."""
    return {"type": "function_call_output", "call_id": "call_1", "output": text}


def calls(response: str) -> tuple[dict[str, Any], ...]:
    """The events of an answer that is a call."""
    return (
        {"type": "response.created", "response": {"id": response}},
        {
            "type": "response.output_item.done",
            "output_index": 0,
            "item": {**REPEATED, "status": "completed"},
        },
        {"type": "response.completed", "response": {"id": response}},
    )


def over_http(first: str = "run it", given: str = "done") -> Recording:
    """A call and an answer, each request saying everything."""
    recording = Recording()
    headers = (*JSON_HEADERS, ("accept", "text/event-stream"))
    recording.post(create(first), sse(*calls("resp_1")), asked_with=headers)
    repeated = [message(first), REPEATED, output(given)]
    recording.post(create(input=repeated), sse(*answer("A", "resp_2")), asked_with=headers)
    return recording


def appended(given: str) -> dict[str, Any]:
    return {"type": "response.append", "input": [output(given)]}


def appended_with_the_call(given: str) -> dict[str, Any]:
    return {"type": "response.append", "input": [REPEATED, output(given)]}


def going_on(given: str) -> dict[str, Any]:
    return asks(input=[output(given)], previous_response_id="resp_1")


def over_a_socket(goes_on: Callable[[str], dict[str, Any]], given: str = "done") -> Recording:
    """The same on a socket, on which the second request says only what is new."""
    recording = Recording()
    recording.socket(
        wants(asks("run it")), says(*calls("resp_1")),
        wants(goes_on(given)), says(*answer("A", "resp_2")),
        asked_with=BETA,
    )  # fmt: skip
    return recording


GOES_ON = pytest.mark.parametrize("goes_on", [appended, appended_with_the_call, going_on])


@GOES_ON
def test_the_same_over_another_transport_is_equal(
    compare: Compare, goes_on: Callable[[str], dict[str, Any]]
) -> None:
    """However a message leaves out what was said before; that the transport differs is told."""
    http, socket = over_http(), over_a_socket(goes_on)
    for comparison in (compare(http, socket), compare(socket, http)):
        assert told(comparison) == []
        assert comparison.left_out == ("transport",)
        assert comparison.is_over_other_transports


@GOES_ON
def test_what_differs_is_told_where_it_stands_in_the_whole(
    compare: Compare, goes_on: Callable[[str], dict[str, Any]]
) -> None:
    """As if each message said everything."""
    socket = over_a_socket(goes_on, "undone")
    assert told(compare(over_http(), socket)) == [("input[2].output", "done", "undone")]
    assert told(compare(socket, over_http())) == [("input[2].output", "undone", "done")]


def test_what_was_left_out_counts_as_well(compare: Compare) -> None:
    """A message that goes on from a prompt goes on from the words of that prompt."""
    socket = over_a_socket(going_on)
    assert told(compare(over_http("run that"), socket)) == [
        ("input[0].content[0].text", "run that", "run it"),
        ("input[0].content[0].text", "run that", "run it"),
    ]


def test_a_socket_that_was_opened_anew_is_equal_to_one_that_held(compare: Compare) -> None:
    """Its first message says everything again."""
    anew = Recording()
    anew.socket(wants(asks("run it")), says(*calls("resp_1")), asked_with=BETA)
    repeated = [message("run it"), REPEATED, output()]
    anew.socket(wants(asks(input=repeated)), says(*answer("A", "resp_2")), asked_with=BETA)
    comparison = compare(over_a_socket(going_on), anew)
    assert told(comparison) == []
    assert not comparison.is_over_other_transports


def test_a_warm_up_is_framing(compare: Compare) -> None:
    """Over HTTP there is none, and what goes on from it says the same."""
    http, socket = Recording(), Recording()
    http.post(create("hi", "ho"), sse(*answer("A", "resp_2")))
    socket.socket(
        wants(warm_up(input=[message("hi")])), says(*answer("", "resp_1")),
        wants(asks("ho", previous_response_id="resp_1")), says(*answer("A", "resp_2")),
    )  # fmt: skip
    assert told(compare(http, socket)) == []


def test_a_warm_up_that_failed_counts(compare: Compare) -> None:
    """It is what the client had to bear."""
    http, socket = Recording(), Recording()
    http.post(create("hi"), sse(*answer("A", "resp_2")))
    socket.socket(wants(warm_up(input=[message("hi")])), ending=CLOSED)
    socket.socket(wants(asks("hi")), says(*answer("A", "resp_2")))
    assert told(compare(http, socket)) == [("request", None, "first websocket warm_up cut")]


@pytest.mark.parametrize(("status", "counts"), [(426, False), (500, True)])
def test_only_a_426_is_framing(compare: Compare, status: int, counts: bool) -> None:
    """It sends the client on to HTTP; any other refusal is a failure."""
    http, refused = Recording(), Recording()
    http.post(create("hi"), sse(*answer("A")))
    refused.refused_upgrade(status)
    refused.post(create("hi"), sse(*answer("A")))
    comparison = compare(http, refused)
    assert [path for path, _, _ in told(comparison)] == (["attempt"] if counts else [])
    assert comparison.is_over_other_transports


def test_attempts_that_end_alike_belong_together(compare: Compare) -> None:
    """A cut is a cut, however its transport ended, and a retry is a retry."""
    http, socket = Recording(), Recording()
    begun = answer("A", "resp_1")[:2]
    http.post(create("hi"), sse(*begun), CUT)
    http.post(create("hi"), sse(*answer("A", "resp_2")))
    socket.socket(wants(asks("hi")), says(*begun), ending=CLOSED)
    socket.socket(wants(asks("hi")), says(*answer("A", "resp_2")))
    assert told(compare(http, socket)) == []


@pytest.mark.parametrize(("status", "parts"), [(429, []), (400, [("answer.status", 429, 400)])])
def test_a_status_in_an_event_is_a_status(compare: Compare, status: int, parts: list[Any]) -> None:
    """With its error, whichever way it comes; other headers and words of HTTP do not count."""
    http, socket = Recording(), Recording()
    http.post(create("hi"), (error_body("slowly"),), status=429, headers=JSON_HEADERS)
    error = {"type": "error", "status": status, "error": {"message": "slowly"}}
    socket.socket(wants(asks("hi")), says(error))
    assert told(compare(http, socket)) == parts


def test_a_refused_handshake_is_laid_beside_a_refused_request(compare: Compare) -> None:
    """Nothing had been asked then: what came back is compared."""
    http, socket = Recording(), Recording()
    http.post(create("hi"), (error_body("busy"),), status=503, headers=JSON_HEADERS)
    http.post(create("hi"), sse(*answer("A")))
    socket.refused_upgrade(503, error_body("asleep"))
    socket.socket(wants(asks("hi")), says(*answer("A")))
    assert told(compare(http, socket)) == [("answer.body.error.message", "busy", "asleep")]


def test_what_goes_on_from_elsewhere_is_compared_as_it_stands(compare: Compare) -> None:
    """Nobody knows what it leaves out."""
    http, socket = Recording(), Recording()
    http.post(create("hi", "ho"), sse(*answer("A", "resp_2")))
    socket.socket(
        wants(asks("ho", previous_response_id="resp_9")), says(*answer("A", "resp_2"))
    )  # fmt: skip
    assert [path for path, _, _ in told(compare(http, socket))] == [
        "input[0]",
        "previous_response_id",
    ]
