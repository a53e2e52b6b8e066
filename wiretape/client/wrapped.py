"""The ``error`` event on a WebSocket: an HTTP status inside a message.

``{"type": "error", "status": 429, "error": {…}, "headers": {…}}`` is to the client what the
status would be to a POST. Over SSE an ``error`` event means nothing to it. The documents do not
speak of this event; its rules are those of the published clients, seen by running them.
"""

import json

from wiretape.client.dialect import Dialect, WrappedBody
from wiretape.client.failures import Failure, stream_failure
from wiretape.client.statuses import refusal
from wiretape.client.wire import Refused
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at


def wrapped_error(text: str, dialect: Dialect) -> Failure | None:
    """The failure in a WebSocket's ``error`` event, ``None`` where the client sees none in it."""
    raw = parse_object(text)
    if isinstance(raw, Unparsable) or raw.get("type") != "error":
        return None
    error, headers = raw.get("error"), raw.get("headers")
    if dialect.wrapped_body is WrappedBody.EVENT and not isinstance(error, dict | None):
        return None
    fallback = dialect.wrapped_codes.get(string_at(object_at(raw, "error"), "code") or "")
    if fallback is not None:
        return stream_failure(string_at(object_at(raw, "error"), "message") or fallback)
    status = raw.get("status", raw.get("status_code"))
    if type(status) is not int or not 100 <= status <= 999 or 200 <= status <= 299:
        return None
    found = _headers(headers if isinstance(headers, dict) else {}, dialect)
    return refusal(Refused(status, found, _wrapped_body(text, error, dialect)), None, dialect)


def _wrapped_body(text: str, error: object, dialect: Dialect) -> str:
    if dialect.wrapped_body is WrappedBody.EVENT:
        return text
    if error is None:
        return ""
    return json.dumps({"error": error}, indent=2, ensure_ascii=False)


def _headers(raw: JsonObject, dialect: Dialect) -> Headers:
    """The headers inside an event, numbers and truth values as text."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in raw.items()
        if isinstance(value, str | int | float)
    }
    return tuple(
        (name, text)
        for name, text in texts.items()
        if dialect.reads_event_headers or name.lower() != "retry-after"
    )
