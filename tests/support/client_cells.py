"""Scripted situations in which the real client is held against the model, as data.

The last reply of a list answers all that comes after it. A client that falls back finds an answer
over HTTP, unless the cell says otherwise.
"""

from collections.abc import Iterator

from client_cell import IMPATIENT, SSE, WEBSOCKET, Cell
from client_replies import (
    ANSWER,
    BAD,
    COMPLETED,
    LOST,
    MESSAGE,
    OPEN,
    SAID,
    USAGE,
    body,
    cut_short,
    ended,
    error_event,
    event,
    failed,
    incomplete,
    on_socket,
    replies,
)
from client_talks import TALKS
from provider_script import (
    Accept,
    Close,
    Drop,
    Fin,
    Hang,
    Headers,
    Ping,
    Plain,
    Reply,
    Reset,
    Run,
    Say,
    Script,
    Written,
)

CODES = (
    "context_length_exceeded",
    "insufficient_quota",
    "usage_not_included",
    "invalid_prompt",
    "rate_limit_exceeded",
    "server_error",
    "server_is_overloaded",
    "slow_down",
    "cyber_policy",
    "bio_policy",
    "misalignment_policy_violation",
    "credit_balance_exhausted",
    "project_spend_limit_exceeded",
    "flex_unavailable",
    "usage_limit_reached",
    "previous_response_not_found",
)

_ON_BOTH: dict[str, tuple[Reply, ...]] = {
    "answer": ANSWER,
    **{f"failed: {code}": replies(failed(code, f"told of {code}")) for code in CODES},
    "failed: no code": replies(failed(message="told")),
    "failed: no message": replies(failed("server_error")),
    "failed: invalid prompt without words": replies(failed("invalid_prompt")),
    "failed: blank policy": replies(failed("cyber_policy", " ")),
    "failed: no error": replies(event("response.failed", response={"id": "resp_1"})),
    "failed: no response": replies(event("response.failed")),
    "failed: unreadable error": replies(failed("insufficient_quota", "told", resets_at="soon")),
    "failed: delay in ms": replies(failed("rate_limit_exceeded", "Try again in 30.5ms.")),
    "failed: delay in seconds": replies(failed("rate_limit_exceeded", "try again in 0.3 seconds")),
    "failed: delay in minutes": replies(failed("rate_limit_exceeded", "try again in 5 minutes")),
    "failed: delay in headers": replies(
        failed("server_is_overloaded", "told", headers={"retry-after": "1"})
    ),
    "failed, then completed": replies(failed("server_error", "boom"), SAID, COMPLETED),
    "failed twice": replies(failed("insufficient_quota", "q"), failed("server_error", "last")),
    "fatal after a retry": (*LOST, *replies(failed("insufficient_quota", "told"))),
    "lost, then answered": (*LOST, *ANSWER),
    "done with response": replies(SAID, event("response.done", response={"id": "resp_1"})),
    "done without response": replies(SAID, event("response.done")),
    "completed without id": replies(SAID, event("response.completed", response={})),
    "completed with text": replies(SAID, event("response.completed", response="text")),
    "completed with a null id": replies(SAID, event("response.completed", response={"id": None})),
    "completed with half a usage": replies(
        SAID, event("response.completed", response={"id": "r", "usage": {"input_tokens": 1}})
    ),
    "completed with a fraction": replies(
        SAID,
        event("response.completed", response={"id": "r", "usage": {**USAGE, "total_tokens": 1.5}}),
    ),
    "completed without response": replies(SAID, event("response.completed")),
    "incomplete: max_output_tokens": replies(incomplete("max_output_tokens")),
    "incomplete: content_filter": replies(incomplete("content_filter")),
    "incomplete: interrupted": replies(incomplete("interrupted")),
    "incomplete, then completed": replies(incomplete("max_output_tokens"), SAID, COMPLETED),
    "malformed events": replies("not json", "", "[]", '{"delta":"x"}', SAID, COMPLETED),
    "malformed fields": replies(
        event("response.output_text.delta", delta=5),
        event("response.reasoning_text.delta", delta="x", content_index="0"),
        event("response.created"),
        SAID,
        COMPLETED,
    ),
    "malformed items": replies(
        event("response.output_item.added", item="text"),
        event("response.output_item.done", item={"type": "message", "role": 5}),
        event("response.output_item.done"),
        SAID,
        COMPLETED,
    ),
    "a refusal in a message": replies(
        event(
            "response.output_item.done",
            item={**MESSAGE, "content": [{"type": "refusal", "refusal": "no"}]},
        ),
        SAID,
        COMPLETED,
    ),
    "unknown events": replies(event("response.dream"), error_event(message="x"), SAID, COMPLETED),
    "unknown item": replies(
        event("response.output_item.done", item={"type": "dream"}), SAID, COMPLETED
    ),
    "failed after completed": replies(SAID, COMPLETED, failed("server_error", "late")),
    "alive": replies(Ping(), SAID, Ping(), COMPLETED),
    "cut": ended(Fin(), SAID),
    "reset": ended(Reset(), SAID),
    "cut at once": (Reply(Written(()), Fin()),),
    "tool round": (Reply(Run("true")), Reply(Say("done"))),
    "lost around a tool round": (*LOST, Reply(Run("true")), *LOST, Reply(Say("done"))),
}

_SILENT: dict[str, tuple[Reply, ...]] = {
    "nothing said": cut_short(0),
    "ended early": cut_short(2),
    "silence": ended(Hang(), SAID),
    "failed, then silence": ended(Hang(), failed("server_error", "boom")),
}

_RETRY_AFTER: Headers = (("retry-after", "1"),)
_IDS: Headers = (("x-request-id", "req_1"), ("cf-ray", "ray_1"))

_REFUSED: dict[str, Plain] = {
    **{f"status {status}": Plain(status, BAD) for status in (400, 401, 403, 404, 408, 409, 422)},
    **{f"status {status}": Plain(status, BAD) for status in (426, 429, 500, 502, 503, 529)},
    "status 404 without body": Plain(404),
    "status 404 with ids": Plain(404, BAD, _IDS),
    "status 401 with its reason": Plain(401, BAD, (("x-openai-authorization-error", "why"),)),
    "status 429 with ids": Plain(429, BAD, _IDS),
    "status 429 with retry-after": Plain(429, BAD, _RETRY_AFTER),
    "status 503 with retry-after": Plain(503, BAD, _RETRY_AFTER),
    "status 500 with retry-after": Plain(500, BAD, _RETRY_AFTER),
    "status 429: usage limit": Plain(429, body(type="usage_limit_reached", plan_type="plus")),
    "status 429: no plan": Plain(429, body(type="usage_not_included")),
    "status 429: quota": Plain(429, body(code="credit_balance_exhausted")),
    "status 429: capped model": Plain(429, "{}", (("x-codex-model-cap-model", "m"),)),
    "status 503: overloaded": Plain(503, body(code="server_is_overloaded", message="m")),
    "status 503: slow down": Plain(503, body(code="slow_down", message="m")),
    "status 429: usage limit until a time": Plain(
        429, body(type="usage_limit_reached", resets_at=4_000_000_000)
    ),
    "status 503 with a date in retry-after": Plain(
        503, BAD, (("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT"),)
    ),
    "status 302": Plain(302, "", (("location", "/v1/elsewhere"),)),
    "status 400: invalid prompt": Plain(400, body(code="invalid_prompt", message="told")),
    "status 400: policy": Plain(400, body(code="cyber_policy")),
    "status 400: image": Plain(
        400, body(message="The image data you provided does not represent a valid image")
    ),
    "status 403: Cloudflare": Plain(403, "<p>Cloudflare blocked you</p>", _IDS),
}

_ON_SOCKETS: dict[str, tuple[Reply, ...]] = {
    "closed 1000": ended(Close(1000)),
    "closed 1011": ended(Close(1011, "oops")),
    "binary": replies(b"\x00\x01", SAID, COMPLETED),
    "error: 400": replies(error_event(400, error={"type": "t", "message": "é"})),
    "error: 429": replies(error_event(429, error={"message": "slow"})),
    "error: 500": replies(error_event(500, error={"message": "e"})),
    "error: 503 with headers": replies(
        error_event(503, error={"message": "e"}, headers={"retry-after": "1", "cf-ray": 7})
    ),
    "error: connection limit": replies(
        error_event(400, error={"code": "websocket_connection_limit_reached"})
    ),
    "error: unknown response": replies(
        error_event(400, error={"code": "previous_response_not_found", "message": "m"})
    ),
    "error: no status": replies(error_event(error={"message": "e"}), SAID, COMPLETED),
    "error: status 200": replies(error_event(200, error={"message": "e"}), SAID, COMPLETED),
    "rate limits": replies(event("codex.rate_limits", rate_limits=None), SAID, COMPLETED),
}

_WARM_UPS: dict[str, tuple[Reply, ...]] = {
    "warm-up closed": ended(Close(1011)),
    "warm-up failed": LOST,
    "warm-up failed for good": replies(failed("insufficient_quota", "told")),
    "warm-up refused": replies(error_event(429, error={"message": "slow"})),
    "warm-up cut": ended(Fin()),
    "warm-up without id": replies(event("response.completed", response={})),
}

_UPGRADES: dict[str, tuple[Accept | Plain | Drop, ...]] = {
    **{f"upgrade {status}": (Plain(status, BAD),) for status in (400, 401, 404, 426, 429)},
    **{f"upgrade {status}": (Plain(status, BAD),) for status in (500, 503)},
    "upgrade 503 with retry-after": (Plain(503, BAD, _RETRY_AFTER),),
    "upgrade 429 with retry-after": (Plain(429, BAD, _RETRY_AFTER),),
    "upgrade 500, then accepted": (Plain(500, BAD), Accept()),
    "upgrade 426, then accepted": (Plain(426, BAD), Accept()),
    "upgrade cut": (Drop(Fin()),),
    "upgrade unanswered": (Drop(Hang()),),
    "upgrade reset": (Drop(Reset()),),
}

_QUIET_ON_A_SOCKET = frozenset(
    {
        "done with response",
        "done without response",
        "completed without response",
        "incomplete: max_output_tokens",
        "incomplete: content_filter",
        "incomplete: interrupted",
    }
)
"""What one version or the other goes on waiting after, where the socket stays open."""

_DROPPED = (Reply(Run("sleep 0.2"), Fin()), Reply(Say("done")))


def _cells() -> Iterator[Cell]:
    for name, given in _ON_BOTH.items():
        quiet = IMPATIENT if name in _QUIET_ON_A_SOCKET else {}
        yield Cell(name, SSE, Script(posts=given))
        yield Cell(name, WEBSOCKET, on_socket(given), quiet)
    for name, given in _SILENT.items():
        yield Cell(name, SSE, Script(posts=given), IMPATIENT)
        yield Cell(name, WEBSOCKET, on_socket(given), IMPATIENT)
    for name, refused in _REFUSED.items():
        yield Cell(name, SSE, Script(posts=(refused,)))
    for name, given in _ON_SOCKETS.items():
        yield Cell(name, WEBSOCKET, on_socket(given))
    for name, given in _WARM_UPS.items():
        script = Script(posts=ANSWER, upgrades=OPEN, messages=ANSWER, warm_ups=given)
        yield Cell(name, WEBSOCKET, script)
    for name, upgrades in _UPGRADES.items():
        script = Script(posts=ANSWER, upgrades=upgrades, messages=ANSWER)
        yield Cell(name, WEBSOCKET, script)
    for retries in (0, 2):
        budget = {"stream_max_retries": retries}
        yield Cell(f"{retries} retries", SSE, Script(posts=LOST), budget)
        yield Cell(f"{retries} retries", WEBSOCKET, on_socket(LOST, posts=LOST), budget)
        budget = {"request_max_retries": retries}
        yield Cell(f"500, {retries} request retries", SSE, Script(posts=(Plain(500),)), budget)
    yield Cell("fallback to 500", WEBSOCKET, on_socket(LOST, posts=(Plain(500),)))
    yield Cell("fallback to 429", WEBSOCKET, on_socket(LOST, posts=(Plain(429),)))
    too_late = Script(posts=ANSWER, upgrades=(*OPEN, Plain(426)), messages=LOST)
    yield Cell("lost, then upgrade 426", WEBSOCKET, too_late)
    yield Cell("post cut", SSE, Script(posts=(Drop(Fin()),)))
    yield Cell("post reset", SSE, Script(posts=(Drop(Reset()), *ANSWER)))
    yield Cell("post unanswered", SSE, Script(posts=(Drop(Hang()),)))
    yield Cell("nobody listens", SSE, None)
    yield Cell("nobody listens", WEBSOCKET, None)
    yield Cell("dropped while tools run", WEBSOCKET, on_socket(_DROPPED))


CELLS = (*_cells(), *TALKS)
