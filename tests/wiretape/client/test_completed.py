"""Document 002 §3.2: how strictly the end of a response is read, in the client's words."""

from typing import Any

import pytest

from wiretape.client.completed import read_completed, read_done
from wiretape.client.events import Completed, TokenUsage
from wiretape.client.failures import stream_failure

USAGE = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}


@pytest.mark.parametrize(
    ("response", "problem"),
    [
        ({}, "missing field `id`"),
        ({"id": None}, "invalid type: null, expected a string"),
        ({"id": 5}, "invalid type: integer `5`, expected a string"),
        ({"id": True}, "invalid type: boolean `true`, expected a string"),
        ({"id": []}, "invalid type: sequence, expected a string"),
        ({"id": {}}, "invalid type: map, expected a string"),
        ("x", 'invalid type: string "x", expected struct ResponseCompleted'),
        (5, "invalid type: integer `5`, expected struct ResponseCompleted"),
        ({"id": "r", "usage": {}}, "missing field `input_tokens`"),
        ({"id": "r", "usage": {"input_tokens": 1}}, "missing field `output_tokens`"),
        (
            {"id": "r", "usage": {"input_tokens": 1, "output_tokens": 1}},
            "missing field `total_tokens`",
        ),
        (
            {"id": "r", "usage": {**USAGE, "input_tokens_details": {}}},
            "missing field `cached_tokens`",
        ),
        (
            {"id": "r", "usage": {**USAGE, "output_tokens_details": {}}},
            "missing field `reasoning_tokens`",
        ),
        (
            {"id": "r", "usage": {**USAGE, "total_tokens": "3"}},
            'invalid type: string "3", expected i64',
        ),
        (
            {"id": "r", "usage": {**USAGE, "total_tokens": 1.5}},
            "invalid type: floating point `1.5`, expected i64",
        ),
        ({"usage": {"input_tokens": None}}, "invalid type: null, expected i64"),
        (
            {"id": "r", "usage": 5},
            "invalid type: integer `5`, expected struct ResponseCompletedUsage",
        ),
    ],
)
def test_3_2_what_cannot_be_read_is_a_failed_stream(response: object, problem: str) -> None:
    """The first thing that does not fit is named, in the order of the wire."""
    expected = stream_failure(f"failed to parse ResponseCompleted: {problem}")
    assert read_completed(response) == expected


@pytest.mark.parametrize(
    ("usage", "read"),
    [
        (None, None),
        (USAGE, TokenUsage(1, 0, 2, 0, 3)),
        ({**USAGE, "input_tokens_details": None}, TokenUsage(1, 0, 2, 0, 3)),
        ({**USAGE, "output_tokens_details": {"reasoning_tokens": 9}}, TokenUsage(1, 0, 2, 9, 3)),
        ({**USAGE, "unheard_of": []}, TokenUsage(1, 0, 2, 0, 3)),
    ],
)
def test_3_2_usage_is_optional_and_so_are_its_details(
    usage: dict[str, Any] | None, read: TokenUsage | None
) -> None:
    """Without details their counts are 0; without usage there is none."""
    assert read_completed({"id": "r", "usage": usage}) == Completed("r", read)


def test_3_2_response_done_needs_no_id() -> None:
    """The id of a ``response.done`` may be missing or null, but not something else."""
    assert read_done({}) == Completed("")
    assert read_done({"id": None, "usage": USAGE}) == Completed("", TokenUsage(1, 0, 2, 0, 3))
    assert read_done({"id": 5}) == stream_failure(
        "failed to parse ResponseCompleted: invalid type: integer `5`, expected a string"
    )
    assert read_done(5) == stream_failure(
        "failed to parse ResponseCompleted: invalid type: integer `5`, expected struct ResponseDone"
    )
