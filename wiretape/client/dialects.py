"""The dialects of the client, version by version, and which one a request was made in.

``DOCUMENTED`` is the client of document 002, which is Codex 0.99. Each later dialect says only
what changed since the one before. ``seen_with`` names the published versions that were run to
see it; a version between two of them may already speak the later dialect.
"""

import re
from dataclasses import replace

from wiretape.client.dialect import (
    Dialect,
    FirstRetry,
    Incomplete,
    Incremental,
    Prewarm,
    StatusRule,
    WrappedBody,
)
from wiretape.client.failures import FailureKind
from wiretape.facts import Headers, header

_QUOTA = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
    }
)
_TOO_MANY = frozenset({429})
_USAGE = (
    StatusRule(_TOO_MANY, "type", frozenset({"usage_limit_reached"}), FailureKind.USAGE_LIMIT),
    StatusRule(
        _TOO_MANY, "type", frozenset({"usage_not_included"}), FailureKind.USAGE_NOT_INCLUDED
    ),
)
_OVERLOADED = frozenset({"server_is_overloaded", "slow_down"})
_MISALIGNMENT = frozenset({"misalignment_policy_violation"})

DOCUMENTED = Dialect(
    since=(0, 99),
    seen_with=("0.99.0",),
    needs_feature=True,
    prewarm=Prewarm.CONNECT,
    incremental=Incremental.APPEND,
    beta="responses_websockets=2026-02-04",
    session_headers=("session_id",),
    keeps_socket=False,
    repeats_broken_answers=False,
    upgrade_sets_turn_state=True,
    has_fixture_hook=True,
    completes_on_done=True,
    incomplete={"": Incomplete.IGNORED},
    failed_codes={
        "context_length_exceeded": FailureKind.CONTEXT_WINDOW,
        "insufficient_quota": FailureKind.QUOTA,
        "usage_not_included": FailureKind.USAGE_NOT_INCLUDED,
        "invalid_prompt": FailureKind.INVALID_REQUEST,
    },
    delay_codes=frozenset({"rate_limit_exceeded"}),
    statuses=_USAGE,
    knows_model_cap=True,
    wrapped_body=WrappedBody.ERROR,
    wrapped_codes={},
    first_retry=FirstRetry.SAID,
    advised_kinds=frozenset(),
    reads_event_headers=False,
    waits_before_fallback=False,
    waits_for_network=False,
    notices_idle_close=False,
    quote="'",
    names_unsent_url=True,
    names_authorization_error=False,
    usage_page="https://chatgpt.com/codex/settings/usage",
)

_V100 = replace(
    DOCUMENTED,
    since=(0, 100),
    seen_with=("0.100.0", "0.104.0"),
    incremental=Incremental.APPEND_AFTER_DONE,
    incomplete={"": Incomplete.RETRIED},
    failed_codes={
        **DOCUMENTED.failed_codes,
        **dict.fromkeys(_OVERLOADED, FailureKind.OVERLOADED),
    },
    statuses=(
        StatusRule(frozenset({503}), "code", _OVERLOADED, FailureKind.OVERLOADED),
        *_USAGE,
    ),
    knows_model_cap=False,
    first_retry=FirstRetry.SILENT_IF_CONFIGURED,
)

_V110 = replace(
    _V100,
    since=(0, 110),
    seen_with=("0.110.0",),
    prewarm=Prewarm.ASK,
    incremental=Incremental.PREVIOUS_RESPONSE,
    beta="responses_websockets=2026-02-06",
    keeps_socket=True,
    completes_on_done=False,
    wrapped_body=WrappedBody.EVENT,
    wrapped_codes={
        "websocket_connection_limit_reached": (
            "Responses websocket connection limit reached (60 minutes). "
            "Create a new websocket connection to continue."
        ),
    },
    first_retry=FirstRetry.SILENT_ON_WEBSOCKET,
)

_V140 = replace(
    _V110,
    since=(0, 140),
    seen_with=("0.140.0",),
    needs_feature=False,
    session_headers=("session-id", "thread-id", "x-client-request-id"),
    repeats_broken_answers=True,
    upgrade_sets_turn_state=False,
    has_fixture_hook=False,
    failed_codes={**_V110.failed_codes, "cyber_policy": FailureKind.POLICY},
    statuses=(
        StatusRule(frozenset({400}), "code", frozenset({"cyber_policy"}), FailureKind.POLICY),
        *_V110.statuses,
    ),
    names_authorization_error=True,
)

_V160 = replace(
    _V140,
    since=(0, 160),
    seen_with=("0.160.0",),
    incomplete={"": Incomplete.RETRIED, "interrupted": Incomplete.COMPLETED},
    failed_codes={
        **DOCUMENTED.failed_codes,
        **dict.fromkeys(_QUOTA, FailureKind.QUOTA),
        "server_is_overloaded": FailureKind.OVERLOADED,
        "rate_limit_exceeded": FailureKind.RATE_LIMIT,
        "slow_down": FailureKind.RATE_LIMIT,
        "flex_unavailable": FailureKind.FLEX,
        "cyber_policy": FailureKind.POLICY,
        "bio_policy": FailureKind.POLICY,
        "misalignment_policy_violation": FailureKind.POLICY,
    },
    delay_codes=frozenset({"rate_limit_exceeded", "slow_down"}),
    statuses=(
        StatusRule(
            frozenset({503}), "code", frozenset({"server_is_overloaded"}), FailureKind.OVERLOADED
        ),
        StatusRule(frozenset({503}), "code", frozenset({"slow_down"}), FailureKind.RATE_LIMIT),
        StatusRule(frozenset({400, 403}), "code", _MISALIGNMENT, FailureKind.POLICY),
        StatusRule(
            frozenset({400}), "code", frozenset({"cyber_policy", "bio_policy"}), FailureKind.POLICY
        ),
        StatusRule(
            frozenset({400}), "code", frozenset({"invalid_prompt"}), FailureKind.INVALID_REQUEST
        ),
        *_USAGE,
        StatusRule(_TOO_MANY, "type", frozenset({"insufficient_quota"}), FailureKind.QUOTA),
        StatusRule(
            _TOO_MANY,
            "code",
            _QUOTA | {"organization_usage_limit_exceeded"},
            FailureKind.QUOTA,
        ),
    ),
    wrapped_codes={
        **_V140.wrapped_codes,
        "previous_response_not_found": (
            "Previous response was not found. Retrying the full request."
        ),
    },
    advised_kinds=frozenset({FailureKind.SERVER_ERROR, FailureKind.STATUS, FailureKind.RATE_LIMIT}),
    waits_for_network=True,
    notices_idle_close=True,
    quote="’",
    names_unsent_url=False,
)

_V169 = replace(
    _V160,
    since=(0, 169),
    seen_with=("0.169.0",),
    incomplete={
        "": Incomplete.FATAL,
        "interrupted": Incomplete.COMPLETED,
        "content_filter": Incomplete.RETRIED,
    },
    advised_kinds=frozenset(FailureKind),
    reads_event_headers=True,
    waits_before_fallback=True,
    usage_page="https://chatgpt.com/settings/usage",
)

DIALECTS = (DOCUMENTED, _V100, _V110, _V140, _V160, _V169)
"""Every dialect, the oldest first. A version older than all of them is taken for the first."""

_USER_AGENT = re.compile(r"([^/]+)/(\d{1,9})\.(\d{1,9})", re.ASCII)
_CODEX = re.compile(r"codex[\w -]*", re.ASCII | re.IGNORECASE)


def dialect_for(headers: Headers) -> Dialect | None:
    """The dialect of the Codex that sent these request headers, ``None`` for any other client.

    The user agent says it: ``codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown``. Up to 0.110 the
    upgrade to WebSocket had none: there, what else it carries tells the dialects apart.
    """
    agent = _USER_AGENT.match(header(headers, "user-agent") or "")
    if agent is not None and _is_codex(agent[1], headers):
        return dialect_of((int(agent[2]), int(agent[3])))
    match header(headers, "openai-beta"), header(headers, "originator"):
        case DOCUMENTED.beta, None:
            return DOCUMENTED
        case DOCUMENTED.beta, _:
            return _V100
        case _V110.beta, _:
            return _V110
        case _:
            return None


def versions_of(dialect: Dialect) -> str:
    """The versions that speak a dialect: ``0.99``, ``0.100-0.109``; of the newest, its first."""
    later = next((each.since for each in DIALECTS if each.since > dialect.since), dialect.since)
    (major, first), last = dialect.since, later[1] - 1
    return f"{major}.{first}" + (f"-{major}.{last}" if last > first else "")


def _is_codex(product: str, headers: Headers) -> bool:
    """Whether the user agent's first product is a Codex, whoever it works for.

    An editor that runs one gives it its own name: ``zed/0.169.0``, the version being the Codex's.
    The name then stands in ``originator`` too, and headers of its own show what it is.
    """
    if _CODEX.fullmatch(product):
        return True
    is_named = header(headers, "originator") == product
    return is_named and any(name.lower().startswith("x-codex-") for name, _ in headers)


def dialect_of(version: tuple[int, int]) -> Dialect:
    """The dialect of this version. ``(0, 0)``, a development build, counts as the newest."""
    if version == (0, 0):
        return DIALECTS[-1]
    return next((d for d in reversed(DIALECTS) if d.since <= version), DOCUMENTED)
