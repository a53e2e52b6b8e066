"""What the client hands up while a response streams: frozen, one class for one event.

Both wires (Responses and the old Chat Completions) end in these. An *item* is a JSON object of
the conversation as the wire spells it (``{"type": "message", …}``), never changed here.

Source: document 002 §3.1 and §3.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass

type Item = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens that one response cost, as the server counted them."""

    input_tokens: int
    cached_input_tokens: int
    output_tokens: int
    reasoning_output_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class RateLimitWindow:
    """How full one window of a rate limit is. ``resets_at_s`` is Unix time in seconds."""

    used_percent: float
    window_minutes: int | None = None
    resets_at_s: int | None = None


@dataclass(frozen=True, slots=True)
class Credits:
    """The account's credits; ``balance`` is the server's text, as shown to a person."""

    has_credits: bool
    unlimited: bool
    balance: str | None = None


@dataclass(frozen=True, slots=True)
class Created:
    """The response exists."""


@dataclass(frozen=True, slots=True)
class OutputItemAdded:
    """An item of the answer begins."""

    item: Item


@dataclass(frozen=True, slots=True)
class OutputItemDone:
    """An item of the answer is whole."""

    item: Item


@dataclass(frozen=True, slots=True)
class OutputTextDelta:
    """More of the answer's text."""

    delta: str


@dataclass(frozen=True, slots=True)
class ReasoningSummaryDelta:
    """More of a summary of the reasoning."""

    delta: str
    summary_index: int


@dataclass(frozen=True, slots=True)
class ReasoningContentDelta:
    """More of the reasoning itself."""

    delta: str
    content_index: int


@dataclass(frozen=True, slots=True)
class ReasoningSummaryPartAdded:
    """A new part of the reasoning's summary begins."""

    summary_index: int


@dataclass(frozen=True, slots=True)
class Completed:
    """The response is over, and well; ``response_id`` is empty where the wire named none."""

    response_id: str
    token_usage: TokenUsage | None = None


@dataclass(frozen=True, slots=True)
class RateLimits:
    """How much of the account's rate limits is used, read from response headers."""

    primary: RateLimitWindow | None = None
    secondary: RateLimitWindow | None = None
    credits: Credits | None = None


@dataclass(frozen=True, slots=True)
class ModelsEtag:
    """The version of the server's model list."""

    etag: str


@dataclass(frozen=True, slots=True)
class ServerReasoningIncluded:
    """The server counts earlier reasoning itself."""

    is_included: bool = True


type ClientEvent = (
    Created
    | OutputItemAdded
    | OutputItemDone
    | OutputTextDelta
    | ReasoningSummaryDelta
    | ReasoningContentDelta
    | ReasoningSummaryPartAdded
    | Completed
    | RateLimits
    | ModelsEtag
    | ServerReasoningIncluded
)
