"""What the client makes of an ``error`` event on a WebSocket."""

import json

import pytest

from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.failures import Failure, FailureKind, stream_failure
from wiretape.client.wrapped import wrapped_error

V110, V160, V169 = map(dialect_of, [(0, 110), (0, 160), (0, 169)])
LIMIT = "websocket_connection_limit_reached"
NOT_FOUND = "previous_response_not_found"


def event(**fields: object) -> str:
    """The text of an ``error`` event."""
    return json.dumps({"type": "error", **fields}, ensure_ascii=False)


def read(dialect: Dialect, **fields: object) -> Failure | None:
    """What the client makes of an ``error`` event with these fields."""
    return wrapped_error(event(**fields), dialect)


@pytest.mark.parametrize("key", ["status", "status_code"])
def test_an_error_event_is_the_status_it_carries(key: str) -> None:
    """The status is classified like that of a POST, without an address."""
    assert read(DOCUMENTED, **{key: 503}, error={"message": "e"}) == Failure(
        FailureKind.STATUS, "unexpected status 503 Service Unavailable: e"
    )


def test_headers_inside_the_event_count() -> None:
    """Texts, numbers and truth values are header values; the rest is none."""
    headers = {"x-request-id": "q1", "cf-ray": 7, "x-odd": [], "x-none": None, "x-flag": True}
    failure = read(DOCUMENTED, status=503, error={"message": "e"}, headers=headers)
    assert failure is not None
    assert failure.text == (
        "unexpected status 503 Service Unavailable: e, cf-ray: 7, request id: q1"
    )


@pytest.mark.parametrize(("dialect", "delay_ms"), [(V160, None), (V169, 1000)])
def test_in_0_169_a_retry_after_inside_the_event_counts(
    dialect: Dialect, delay_ms: int | None
) -> None:
    """Only the newest client takes the delay from inside an event."""
    failure = read(dialect, status=503, error={"message": "e"}, headers={"retry-after": 1})
    assert failure is not None
    assert failure.requested_delay_ms == delay_ms


def test_the_documented_client_shows_the_error_indented() -> None:
    """0.99 says a 400's error as JSON on lines of its own, in the order of the wire."""
    failure = read(DOCUMENTED, status=400, error={"type": "t", "message": "é\u2028", "a": [1]})
    assert failure == Failure(
        FailureKind.INVALID_REQUEST,
        '{\n  "error": {\n    "type": "t",\n    "message": "é\u2028",\n'
        '    "a": [\n      1\n    ]\n  }\n}',
    )


def test_from_0_110_the_event_is_shown_as_it_came() -> None:
    """Later clients say the text of the event."""
    text = event(status=400, error={"message": "é"})
    assert wrapped_error(text, V110) == Failure(FailureKind.INVALID_REQUEST, text)


def test_an_event_without_an_error_has_an_empty_body() -> None:
    """0.99 says nothing of a 400 without an error."""
    assert read(DOCUMENTED, status=400) == Failure(FailureKind.INVALID_REQUEST, "")


@pytest.mark.parametrize("status", [None, 200, 299, 99, 1000, "400", 400.0, True])
def test_without_a_status_of_failure_there_is_none(status: object) -> None:
    """A status that is missing, a success, or no status makes the event mean nothing."""
    assert read(DOCUMENTED, status=status, error={"message": "e"}) is None


@pytest.mark.parametrize("text", ["", "[]", '{"type": "response.failed", "status": 400}'])
def test_only_error_events_are_read(text: str) -> None:
    """Every other message is somebody else's."""
    assert wrapped_error(text, DOCUMENTED) is None


@pytest.mark.parametrize(
    ("dialect", "code", "words"),
    [
        (
            V110,
            LIMIT,
            "Responses websocket connection limit reached (60 minutes). "
            "Create a new websocket connection to continue.",
        ),
        (
            V169,
            LIMIT,
            "Responses websocket connection limit reached (60 minutes). "
            "Create a new websocket connection to continue.",
        ),
        (V160, NOT_FOUND, "Previous response was not found. Retrying the full request."),
        (V169, NOT_FOUND, "Previous response was not found. Retrying the full request."),
    ],
)
def test_some_codes_may_be_retried_on_a_new_socket(dialect: Dialect, code: str, words: str) -> None:
    """Their message is said, or words of the client's own, whatever the status."""
    assert read(dialect, status=400, error={"code": code, "message": "m"}) == stream_failure("m")
    assert read(dialect, error={"code": code}) == stream_failure(words)


@pytest.mark.parametrize(("dialect", "code"), [(DOCUMENTED, LIMIT), (V110, NOT_FOUND)])
def test_before_they_were_known_such_codes_were_bad_requests(dialect: Dialect, code: str) -> None:
    """A dialect that does not know a code goes by the status."""
    failure = read(dialect, status=400, error={"code": code})
    assert failure is not None
    assert failure.kind is FailureKind.INVALID_REQUEST


def test_from_0_110_an_error_that_is_no_object_makes_the_event_unreadable() -> None:
    """0.99 takes any error; later clients read an object or nothing."""
    failure = read(DOCUMENTED, status=400, error="text")
    assert failure == Failure(FailureKind.INVALID_REQUEST, '{\n  "error": "text"\n}')
    assert read(V110, status=400, error="text") is None
