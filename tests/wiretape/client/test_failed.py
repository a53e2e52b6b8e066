"""Document 002 §6: how ``response.failed`` is classified, and the delay in its message."""

import pytest

from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DIALECTS, DOCUMENTED, dialect_of
from wiretape.client.failed import delay_in_ms, read_failed
from wiretape.client.failures import Failure, FailureKind, stream_failure

LATER, TODAY = dialect_of((0, 160)), dialect_of((0, 169))
RECEIVED = stream_failure("response.failed event received")


def failed(code: str | None, message: str | None = "told", **more: object) -> dict[str, object]:
    """The ``response`` of a ``response.failed``."""
    return {"id": "r1", "error": {"code": code, "message": message, **more}}


@pytest.mark.parametrize(
    ("code", "kind", "text"),
    [
        (
            "context_length_exceeded",
            FailureKind.CONTEXT_WINDOW,
            "Codex ran out of room in the model's context window. "
            "Start a new thread or clear earlier history before retrying.",
        ),
        (
            "insufficient_quota",
            FailureKind.QUOTA,
            "Quota exceeded. Check your plan and billing details.",
        ),
        (
            "usage_not_included",
            FailureKind.USAGE_NOT_INCLUDED,
            "To use Codex with your ChatGPT plan, upgrade to Plus: "
            "https://chatgpt.com/explore/plus.",
        ),
        ("invalid_prompt", FailureKind.INVALID_REQUEST, "told"),
    ],
)
def test_6_fatal_codes_end_the_turn(code: str, kind: FailureKind, text: str) -> None:
    """Four codes are fatal, each with its words."""
    failure = read_failed(failed(code), DOCUMENTED)
    assert failure == Failure(kind, text)
    assert not failure.may_be_retried


@pytest.mark.parametrize(
    "code",
    [
        "server_error",
        "rate_limit_exceeded",
        "server_is_overloaded",
        "slow_down",
        "cyber_policy",
        "vector_store_timeout",
        "never_heard_of",
        None,
    ],
)
def test_6_every_other_code_may_be_retried(code: str | None) -> None:
    """Any other code is a stream that failed, with the server's message."""
    failure = read_failed(failed(code), DOCUMENTED)
    assert failure == Failure(
        FailureKind.STREAM, "stream disconnected before completion: told", None
    )
    assert failure.may_be_retried


def test_6_only_rate_limit_exceeded_sets_a_delay() -> None:
    """The delay is read from the message of ``rate_limit_exceeded`` and of nothing else."""
    said = "Please try again in 11.054s."
    assert read_failed(failed("rate_limit_exceeded", said), DOCUMENTED) == Failure(
        FailureKind.STREAM, f"stream disconnected before completion: {said}", 11054
    )
    for code in ("server_error", "slow_down", None):
        assert read_failed(failed(code, said), DOCUMENTED).requested_delay_ms is None


@pytest.mark.parametrize(
    ("message", "delay_ms"),
    [
        ("Rate limit reached. Please try again in 1s.", 1000),
        ("try again in 1.898s", 1898),
        ("try again in 28ms", 28),
        ("try again in 28.9ms", 28),
        ("try again in 35 seconds", 35000),
        ("try again in 1 second", 1000),
        ("TRY AGAIN IN 2 SECONDS", 2000),
        ("try again in3s", 3000),
        ("try again in\n 4 s", 4000),
        ("try again in 0.5 seconds", 500),
        ("try again in 5 minutes", None),
        ("try again in 5m", None),
        ("try again in 5", None),
        ("try again in a few seconds", None),
        ("try again later", None),
        (f"try again in {'9' * 400} s", None),
        (f"try again in {'9' * 400}ms", None),
        ("in 5s, or try again in 7s, or try again in 9s", 7000),
        ("", None),
    ],
)
def test_6_the_delay_is_a_number_of_seconds_or_milliseconds(
    message: str, delay_ms: int | None
) -> None:
    """ "try again in <N> <unit>": s, ms and seconds, with a fraction, in any case; nothing else."""
    assert delay_in_ms(message) == delay_ms


@pytest.mark.parametrize(
    "response",
    [
        None,
        "text",
        {},
        {"error": None},
        {"error": "text"},
        {"error": []},
        {"error": {"code": 5, "message": "told"}},
        {"error": {"code": "insufficient_quota", "message": 5}},
        {"error": {"code": "insufficient_quota", "type": []}},
        {"error": {"code": "insufficient_quota", "plan_type": {}}},
        {"error": {"code": "insufficient_quota", "resets_at": "soon"}},
    ],
)
def test_6_without_a_readable_error_there_are_words_of_their_own(response: object) -> None:
    """A failure whose error is missing or unreadable is a stream that failed, and may pass."""
    assert read_failed(response, DOCUMENTED) == RECEIVED
    assert RECEIVED.text == (
        "stream disconnected before completion: response.failed event received"
    )


def test_6_an_error_without_a_message_says_nothing() -> None:
    """Where no message is given, the words end after the colon."""
    assert read_failed(failed("server_error", None), DOCUMENTED) == stream_failure("")


def test_6_an_invalid_prompt_without_a_message_has_words_of_its_own() -> None:
    """An invalid prompt is then called an invalid request."""
    failure = read_failed(failed("invalid_prompt", None), DOCUMENTED)
    assert failure == Failure(FailureKind.INVALID_REQUEST, "Invalid request.")


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.seen_with[0])
def test_6_the_documented_fatal_codes_are_fatal_in_every_dialect(dialect: Dialect) -> None:
    """No later client retries what the documented one gives up on."""
    for code in ("context_length_exceeded", "insufficient_quota", "usage_not_included"):
        assert not read_failed(failed(code), dialect).may_be_retried
    assert not read_failed(failed("invalid_prompt"), dialect).may_be_retried


@pytest.mark.parametrize(
    ("version", "code", "text"),
    [
        (
            (0, 100),
            "server_is_overloaded",
            "Selected model is at capacity. Please try a different model.",
        ),
        ((0, 100), "slow_down", "Selected model is at capacity. Please try a different model."),
        ((0, 140), "cyber_policy", "told"),
        ((0, 160), "bio_policy", "told"),
        ((0, 160), "misalignment_policy_violation", "told"),
        ((0, 160), "flex_unavailable", "Flex capacity unavailable."),
        (
            (0, 160),
            "credit_balance_exhausted",
            "Quota exceeded. Check your plan and billing details.",
        ),
        (
            (0, 160),
            "project_spend_limit_exceeded",
            "Quota exceeded. Check your plan and billing details.",
        ),
        (
            (0, 169),
            "server_is_overloaded",
            "Selected model is at capacity. Please try a different model.",
        ),
    ],
)
def test_later_clients_give_up_on_more_codes(
    version: tuple[int, int], code: str, text: str
) -> None:
    """Each dialect's table adds fatal codes, each with its words."""
    failure = read_failed(failed(code), dialect_of(version))
    assert failure.text == text
    assert not failure.may_be_retried


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("cyber_policy", "This request has been flagged for possible cybersecurity risk."),
        ("bio_policy", "This content was flagged for possible biological risk."),
        (
            "misalignment_policy_violation",
            "This request was blocked due to a misalignment policy violation.",
        ),
    ],
)
@pytest.mark.parametrize("message", [None, "", "  "])
def test_a_policy_failure_without_a_message_has_words_of_its_own(
    code: str, text: str, message: str | None
) -> None:
    """A blank message of a policy failure is replaced by the client's words."""
    assert read_failed(failed(code, message), LATER).text == text


@pytest.mark.parametrize("code", ["rate_limit_exceeded", "slow_down"])
def test_from_0_160_a_rate_limit_is_called_one(code: str) -> None:
    """Rate limits are named as such, may pass, and both may set a delay."""
    assert read_failed(failed(code, "try again in 2s"), LATER) == Failure(
        FailureKind.RATE_LIMIT, "rate limit exceeded: try again in 2s", 2000
    )


@pytest.mark.parametrize("code", ["server_error", "rate_limit_exceeded", "server_is_overloaded"])
def test_in_0_169_the_headers_in_an_error_set_the_delay(code: str) -> None:
    """``error.headers`` may carry ``retry-after``, which wins over the message."""
    said = failed(code, "try again in 9s", headers={"retry-after": "1"})
    failure = read_failed(said, TODAY)
    assert failure.requested_delay_ms == 1000
    assert failure.may_be_retried
    assert read_failed(said, LATER).requested_delay_ms != 1000
