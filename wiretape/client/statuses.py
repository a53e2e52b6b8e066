"""A status that is no success: which failure it is, and its words.

For POSTs, for upgrades, and for the statuses that come in events (``wrapped``).
The documents do not give these words; they are those of the published clients, seen by running
them against such answers.

A reset time in a usage limit is said in the client's own time zone, which no recording knows: the
words here end with "try again later" in its place.
"""

import base64
from http import HTTPStatus

from wiretape.client.dialect import Dialect
from wiretape.client.failed import error_message
from wiretape.client.failures import Failure, FailureKind, failure
from wiretape.client.heads import retry_after_ms
from wiretape.client.wire import Refused
from wiretape.facts import Headers, header
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at

LONGEST_BODY_BYTES = 1000

_INVALID_IMAGE = "The image data you provided does not represent a valid image"
_BLOCKED = (
    "Access blocked by Cloudflare. This usually happens when connecting from a restricted region"
)
_PHRASES = {
    413: "Payload Too Large",
    414: "URI Too Long",
    416: "Range Not Satisfiable",
    418: "I'm a teapot",
    422: "Unprocessable Entity",
}
"""The client's phrases where Python's differ from version to version."""


def refusal(refused: Refused, url: str | None, dialect: Dialect) -> Failure:
    """The failure that this answer is. ``url`` is the address asked, ``None`` for an event's."""
    error = _error(refused.body)
    special = _special(refused, error, dialect)
    kind = _plain_kind(refused) if special is None else special
    delay_ms = None
    if kind in dialect.advised_kinds:
        delay_ms = retry_after_ms(header(refused.headers, "retry-after"))
    match kind:
        case FailureKind.MODEL_CAP:
            message = _model_cap(refused.headers)
        case FailureKind.USAGE_LIMIT:
            message = _usage_limit(error, refused.headers, dialect)
        case FailureKind.RETRY_LIMIT:
            message = _retry_limit(refused)
        case FailureKind.STATUS:
            message = _unexpected(refused, error, url, dialect)
        case FailureKind.INVALID_REQUEST if special is None:
            message = refused.body
        case _:
            message = error_message(kind, error)
    return failure(kind, message, delay_ms=delay_ms, quote=dialect.quote)


def _error(body: str) -> JsonObject:
    raw = parse_object(body)
    return {} if isinstance(raw, Unparsable) else object_at(raw, "error")


def _special(refused: Refused, error: JsonObject, dialect: Dialect) -> FailureKind | None:
    """The kind that the dialect's table makes of it, if any."""
    is_capped = header(refused.headers, "x-codex-model-cap-model") is not None
    if dialect.knows_model_cap and is_capped and refused.status == HTTPStatus.TOO_MANY_REQUESTS:
        return FailureKind.MODEL_CAP
    for rule in dialect.statuses:
        if refused.status in rule.statuses and string_at(error, rule.key) in rule.values:
            return rule.kind
    return None


def _plain_kind(refused: Refused) -> FailureKind:
    match refused.status:
        case HTTPStatus.BAD_REQUEST if _INVALID_IMAGE in refused.body:
            return FailureKind.INVALID_IMAGE
        case HTTPStatus.BAD_REQUEST:
            return FailureKind.INVALID_REQUEST
        case HTTPStatus.INTERNAL_SERVER_ERROR:
            return FailureKind.SERVER_ERROR
        case HTTPStatus.TOO_MANY_REQUESTS:
            return FailureKind.RETRY_LIMIT
        case _:
            return FailureKind.STATUS


def _unexpected(refused: Refused, error: JsonObject, url: str | None, dialect: Dialect) -> str:
    status = f"{refused.status} {_phrase(refused.status)}"
    body = refused.body
    if refused.status == HTTPStatus.FORBIDDEN and "Cloudflare" in body and "blocked" in body:
        said = f"{_BLOCKED} (status {status})"
    else:
        said = f"unexpected status {status}: {_shown(error, body)}"
    clues = {
        "url": url,
        "cf-ray": header(refused.headers, "cf-ray"),
        "request id": _request_id(refused.headers),
    }
    if dialect.names_authorization_error:
        clues["auth error"] = header(refused.headers, "x-openai-authorization-error")
        clues["auth error code"] = _authorization_code(refused.headers)
    return said + "".join(f", {name}: {clue}" for name, clue in clues.items() if clue is not None)


def _shown(error: JsonObject, body: str) -> str:
    """What is shown of a body: its message, or itself up to a length, or that there is none."""
    message = (string_at(error, "message") or "").strip()
    if message:
        return message
    shown = body.strip().encode()
    if len(shown) > LONGEST_BODY_BYTES:
        return shown[:LONGEST_BODY_BYTES].decode("utf-8", "ignore") + "..."
    return shown.decode() or "Unknown error"


def _phrase(status: int) -> str:
    if status in _PHRASES:
        return _PHRASES[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "<unknown status code>"


def _request_id(headers: Headers) -> str | None:
    request_id = header(headers, "x-request-id")
    return header(headers, "x-oai-request-id") if request_id is None else request_id


def _authorization_code(headers: Headers) -> str | None:
    """``error.code`` of the JSON that ``x-error-json`` carries in base64."""
    try:
        text = base64.b64decode(header(headers, "x-error-json") or "", validate=True).decode()
    except ValueError:
        return None
    return string_at(_error(text), "code")


def _retry_limit(refused: Refused) -> str:
    said = f"{refused.status} {_phrase(refused.status)}"
    request_id = _request_id(refused.headers) or header(refused.headers, "cf-ray")
    return said if request_id is None else f"{said}, request id: {request_id}"


def _model_cap(headers: Headers) -> str:
    model = header(headers, "x-codex-model-cap-model")
    seconds = header(headers, "x-codex-model-cap-reset-after-seconds") or ""
    again = f"in {_duration(int(seconds))}" if seconds.isdecimal() else "later"
    return f"Model {model} is at capacity. Please try a different model. Try again {again}."


def _duration(seconds: int) -> str:
    for unit, length in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= length:
            return f"{seconds // length}{unit}"
    return "less than a minute"


def _usage_limit(error: JsonObject, headers: Headers, dialect: Dialect) -> str:
    """What follows "You've hit your usage limit.", by the plan of the account."""
    promotion = (header(headers, "x-codex-promo-message") or "").strip()
    if promotion:
        return f" {promotion}, or try again later."
    match string_at(error, "plan_type"):
        case "plus":
            return (
                " Upgrade to Pro (https://chatgpt.com/explore/pro), visit "
                f"{dialect.usage_page} to purchase more credits or try again later."
            )
        case "pro":
            return f" Visit {dialect.usage_page} to purchase more credits or try again later."
        case "team" | "business":
            return " To get more access now, send a request to your admin or try again later."
        case "free" | "go":
            return (
                " Upgrade to Plus to continue using Codex "
                "(https://chatgpt.com/explore/plus), or try again later."
            )
        case _:
            return " Try again later."
