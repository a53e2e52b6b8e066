"""Why a request failed, in the client's words, and whether it may be tried again.

Source: document 002 §5 and §6. The words that it does not give (statuses, limits) are those of
the published clients, seen by running them.
"""

from dataclasses import dataclass
from enum import StrEnum


class FailureKind(StrEnum):
    """The kinds of failure that the client tells apart."""

    STREAM = "stream"
    """The stream ended badly, or failed in a way that may pass."""
    RATE_LIMIT = "rate limit"
    SERVER_ERROR = "server error"
    STATUS = "unexpected status"
    TIMEOUT = "timeout"
    CONNECTION = "connection failed"
    RETRY_LIMIT = "retry limit"
    """A 429; the name is the client's."""
    OVERLOADED = "overloaded"
    CONTEXT_WINDOW = "context window exceeded"
    QUOTA = "quota exceeded"
    USAGE_NOT_INCLUDED = "usage not included"
    USAGE_LIMIT = "usage limit reached"
    MODEL_CAP = "model at capacity"
    FLEX = "flex unavailable"
    INVALID_REQUEST = "invalid request"
    INVALID_IMAGE = "invalid image"
    POLICY = "policy"
    INCOMPLETE = "incomplete"


class Retry(StrEnum):
    """When a failure may be tried again."""

    ALWAYS = "always"
    WHEN_ADVISED = "when the server says when"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class _Rule:
    """``words`` have ``{message}`` where the message goes and ``{quote}`` for the apostrophe."""

    retry: Retry
    words: str = "{message}"


_RULES = {
    FailureKind.STREAM: _Rule(Retry.ALWAYS, "stream disconnected before completion: {message}"),
    FailureKind.RATE_LIMIT: _Rule(Retry.ALWAYS, "rate limit exceeded: {message}"),
    FailureKind.SERVER_ERROR: _Rule(
        Retry.ALWAYS,
        "We{quote}re currently experiencing high demand, which may cause temporary errors.",
    ),
    FailureKind.STATUS: _Rule(Retry.ALWAYS),
    FailureKind.TIMEOUT: _Rule(Retry.ALWAYS, "request timed out"),
    FailureKind.CONNECTION: _Rule(Retry.ALWAYS, "Connection failed: {message}"),
    FailureKind.RETRY_LIMIT: _Rule(
        Retry.WHEN_ADVISED, "exceeded retry limit, last status: {message}"
    ),
    FailureKind.OVERLOADED: _Rule(
        Retry.WHEN_ADVISED, "Selected model is at capacity. Please try a different model."
    ),
    FailureKind.CONTEXT_WINDOW: _Rule(
        Retry.NEVER,
        "Codex ran out of room in the model's context window. "
        "Start a new thread or clear earlier history before retrying.",
    ),
    FailureKind.QUOTA: _Rule(Retry.NEVER, "Quota exceeded. Check your plan and billing details."),
    FailureKind.USAGE_NOT_INCLUDED: _Rule(
        Retry.NEVER,
        "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus.",
    ),
    FailureKind.USAGE_LIMIT: _Rule(Retry.NEVER, "You{quote}ve hit your usage limit.{message}"),
    FailureKind.MODEL_CAP: _Rule(Retry.NEVER),
    FailureKind.FLEX: _Rule(Retry.NEVER, "Flex capacity unavailable."),
    FailureKind.INVALID_REQUEST: _Rule(Retry.NEVER),
    FailureKind.INVALID_IMAGE: _Rule(
        Retry.NEVER, "Invalid image in your last message. Please remove it and try again."
    ),
    FailureKind.POLICY: _Rule(Retry.NEVER),
    FailureKind.INCOMPLETE: _Rule(Retry.NEVER, "Incomplete response returned, reason: {message}"),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request failed. ``text`` is what the client prints.

    ``requested_delay_ms`` is how long the server asked to wait before another try.
    """

    kind: FailureKind
    text: str
    requested_delay_ms: int | None = None

    @property
    def may_be_retried(self) -> bool:
        """Whether another try makes sense, as far as the failure goes; budgets apart."""
        match _RULES[self.kind].retry:
            case Retry.ALWAYS:
                return True
            case Retry.WHEN_ADVISED:
                return self.requested_delay_ms is not None
            case Retry.NEVER:
                return False


def failure(
    kind: FailureKind, message: str = "", *, delay_ms: int | None = None, quote: str = "'"
) -> Failure:
    """A failure of this kind. ``quote`` is the apostrophe that the client's age writes."""
    text = _RULES[kind].words.format(message=message, quote=quote)
    return Failure(kind, text, delay_ms)


def stream_failure(message: str) -> Failure:
    """The stream ended badly: ``"stream disconnected before completion: <message>"``."""
    return failure(FailureKind.STREAM, message)
