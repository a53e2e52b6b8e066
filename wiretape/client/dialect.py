"""What can differ between versions of the client: one record, each field a difference.

This module refuses to decide anything: what a difference means is said where the rule is. The
records themselves, and which version speaks which, are in ``dialects``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from wiretape.client.failures import FailureKind


class Incomplete(StrEnum):
    """What ``response.incomplete`` is to the client."""

    IGNORED = "ignored"
    RETRIED = "retried"
    FATAL = "fatal"
    COMPLETED = "completed"
    """It ends the response as ``response.completed`` does."""


class Prewarm(StrEnum):
    """What the client does on a new WebSocket before its first request."""

    CONNECT = "connect"
    """Nothing; but it connects early, and a failure of that first try is passed over."""
    ASK = "ask"
    """It asks with ``generate: false``. A 426 counts; any other failure is passed over."""


class Incremental(StrEnum):
    """How a further request on the same WebSocket leaves out what was said before."""

    APPEND = "append"
    """``response.append`` with the new items."""
    APPEND_AFTER_DONE = "append after response.done"
    """The same where the last response ended with ``response.done``; else nothing is left out."""
    PREVIOUS_RESPONSE = "previous response"
    """``response.create`` with ``previous_response_id`` and the new items."""


class FirstRetry(StrEnum):
    """Whether ``Reconnecting... 1/n`` is said."""

    SAID = "said"
    SILENT_IF_CONFIGURED = "silent where WebSocket is configured"
    """Also after the fallback."""
    SILENT_ON_WEBSOCKET = "silent on WebSocket"


class WrappedBody(StrEnum):
    """What stands for the body of a status that an ``error`` event on a WebSocket carries."""

    ERROR = "error"
    """The event's ``error``, alone in an object and indented."""
    EVENT = "event"
    """The event's text."""


@dataclass(frozen=True, slots=True)
class StatusRule:
    """One of these statuses, whose body has ``error.<key>`` among ``values``, fails in this way."""

    statuses: frozenset[int]
    key: str
    values: frozenset[str]
    kind: FailureKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How one age of the client behaves."""

    since: tuple[int, int]
    """The first version of this dialect: major and minor."""
    seen_with: tuple[str, ...]

    # What is asked, and how.
    needs_feature: bool
    """WebSocket needs the feature ``responses_websockets``, not only the provider's word."""
    prewarm: Prewarm
    incremental: Incremental
    beta: str
    """The upgrade's ``openai-beta``."""
    session_headers: tuple[str, ...]
    """The request headers that carry the conversation's id."""
    keeps_socket: bool
    """A WebSocket that is still open serves the next turn, too."""
    repeats_broken_answers: bool
    """A retry says again what the broken answer had finished, with what its tools gave; otherwise
    only the next request does."""
    upgrade_sets_turn_state: bool
    """The turn state comes with the answer to an upgrade, too, not only with that to a POST."""
    has_fixture_hook: bool

    # What the answer means.
    completes_on_done: bool
    """``response.done`` completes a response."""
    incomplete: Mapping[str, Incomplete]
    """By ``incomplete_details.reason``; ``""`` stands for every other reason."""
    failed_codes: Mapping[str, FailureKind]
    """``response.failed`` by ``error.code``; any other code is a ``STREAM`` failure."""
    delay_codes: frozenset[str]
    """The codes of ``response.failed`` whose message may say when to try again."""
    statuses: tuple[StatusRule, ...]
    """Statuses that their body makes special; the first rule that fits holds."""
    knows_model_cap: bool
    """A 429 with ``x-codex-model-cap-model`` has words of its own."""
    wrapped_body: WrappedBody
    wrapped_codes: Mapping[str, str]
    """``error`` events on a WebSocket that may be retried, by code: the words if it has none."""

    # What is done about it.
    first_retry: FirstRetry
    advised_kinds: frozenset[FailureKind]
    """The failures that a ``retry-after`` header has a say in."""
    reads_event_headers: bool
    """The ``retry-after`` among the headers inside an event counts: ``response.error.headers`` of
    a ``response.failed``, ``headers`` of an ``error`` on a WebSocket."""
    waits_before_fallback: bool
    """The delay that the server asked for holds for the first POST after the fallback, too."""
    waits_for_network: bool
    """A POST that reaches nobody is tried without end, outside any budget."""
    notices_idle_close: bool
    """A WebSocket closed between two requests is replaced without a failure."""

    # Its words.
    quote: str
    """The apostrophe in its messages."""
    names_unsent_url: bool
    """A POST that got no answer is reported with its address."""
    names_authorization_error: bool
    """Statuses are reported with ``x-openai-authorization-error``."""
    usage_page: str
    """Where it sends people for more credits."""
