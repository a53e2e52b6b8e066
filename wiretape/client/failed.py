"""``response.failed``: which failure it is, and when the server says to try again.

Source: document 002 §6. The pattern of the delay is the published client's (openai/codex,
codex-rs/codex-api/src/sse/responses.rs): seconds or milliseconds, anywhere in the message. Of
"5 minutes" it reads nothing.
"""

import re

from wiretape.client.dialect import Dialect
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure
from wiretape.client.heads import retry_after_ms
from wiretape.jsontext import JsonObject, object_at, string_at

DEFAULT_MESSAGES = {
    "invalid_prompt": "Invalid request.",
    "cyber_policy": "This request has been flagged for possible cybersecurity risk.",
    "bio_policy": "This content was flagged for possible biological risk.",
    "misalignment_policy_violation": (
        "This request was blocked due to a misalignment policy violation."
    ),
}
"""What the client says, by code, where the server gave no message."""

_DELAY = re.compile(r"try again in\s*(\d+(?:\.\d+)?)\s*(s|ms|seconds?)", re.ASCII | re.IGNORECASE)
_LONGEST_DELAY = 1e15
"""Beyond it, a number of seconds or milliseconds is none that any client waits."""
_FIELDS = {"type": str, "code": str, "message": str, "plan_type": str, "resets_at": int}


def read_failed(response: object, dialect: Dialect) -> Failure:
    """The failure that a ``response.failed`` with this ``response`` stands for (§6)."""
    error = response.get("error") if isinstance(response, dict) else None
    if not isinstance(error, dict) or not _is_error(error):
        return stream_failure("response.failed event received")
    code = string_at(error, "code")
    kind = dialect.failed_codes.get(code or "", FailureKind.STREAM)
    message = error_message(kind, error)
    return failure(kind, message, delay_ms=_delay_ms(error, dialect), quote=dialect.quote)


def error_message(kind: FailureKind, error: JsonObject) -> str:
    """The message of an error object, or what the client says in its place."""
    message = string_at(error, "message")
    is_missing = message is None or (kind is FailureKind.POLICY and not message.strip())
    if is_missing:
        return DEFAULT_MESSAGES.get(string_at(error, "code") or "", "")
    return message or ""


def delay_in_ms(message: str) -> int | None:
    """The delay in "try again in <N> <unit>" (§6), in milliseconds; ``None`` for none."""
    found = _DELAY.search(message)
    if found is None:
        return None
    number, unit = float(found[1]), found[2].lower()
    if number > _LONGEST_DELAY:
        return None
    return int(number) if unit == "ms" else round(number * 1000)


def _delay_ms(error: JsonObject, dialect: Dialect) -> int | None:
    if dialect.reads_event_headers:
        advice = retry_after_ms(string_at(object_at(error, "headers"), "retry-after"))
        if advice is not None:
            return advice
    if error.get("code") not in dialect.delay_codes:
        return None
    return delay_in_ms(string_at(error, "message") or "")


def _is_error(error: JsonObject) -> bool:
    """Whether the client can read it: each field it knows is missing, null, or of its type."""
    return all(
        error.get(name) is None or type(error[name]) is kind for name, kind in _FIELDS.items()
    )
