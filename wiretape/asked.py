"""What a client asked of its model, read from a request's head and body or from a message.

The same few things whatever the wire: which kind of request, of which session, and the JSON that
was asked with. Reads both ages of the Codex CLI and clients that name no session at all.
"""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from wiretape.content import decode
from wiretape.facts import Headers, RequestHead, all_headers, header
from wiretape.redact import redact_text
from wiretape.scope import Purpose, purpose_of


class RequestKind(StrEnum):
    """What kind of request it is."""

    CREATE = "create"
    """``POST …/responses``, or a ``response.create`` message."""
    APPEND = "append"
    """A ``response.append`` message: only what is new of the input."""
    WARM_UP = "warm_up"
    """A ``response.create`` with ``generate: false``: prepares, produces nothing."""
    COMPACT = "compact"
    CHAT = "chat"
    MODELS = "models"
    UPGRADE = "upgrade"
    """The handshake of a WebSocket."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that the client asked.

    ``session`` is the conversation's id as the client names it, ``None`` where it names none.
    ``headers`` are the request's; for a message on a socket, those of the handshake.
    ``body`` is the parsed JSON; ``None`` where there is none or it is not JSON, and then ``raw``
    is all there is. ``raw`` has its content coding removed, if that is possible. ``query`` is the
    target's, where it counts.
    """

    kind: RequestKind
    session: str | None
    headers: Headers
    body: Any
    raw: bytes
    query: str = ""

    @property
    def input_items(self) -> list[Any]:
        """The items of ``input``; a chat's ``messages`` count as such. Text alone is one item."""
        if not isinstance(self.body, dict):
            return []
        items = self.body.get("input", self.body.get("messages", []))
        return items if isinstance(items, list) else [items]

    @property
    def model(self) -> str | None:
        model = self.body.get("model") if isinstance(self.body, dict) else None
        return model if isinstance(model, str) else None

    @property
    def says_only_what_is_new(self) -> bool:
        """Whether it goes on from something that was said before, and leaves that out."""
        has_link = isinstance(self.body, dict) and "previous_response_id" in self.body
        return self.kind is RequestKind.APPEND or has_link


_KIND_OF_PURPOSE: Final = {
    Purpose.RESPONSES: RequestKind.CREATE,
    Purpose.COMPACT: RequestKind.COMPACT,
    Purpose.CHAT: RequestKind.CHAT,
    Purpose.MODELS: RequestKind.MODELS,
}

# From the most particular: a thread is a conversation, a session may hold several.
SESSION_HEADERS: Final = ("thread-id", "session-id", "session_id", "conversation_id")


def asked_in(request: RequestHead, body: bytes) -> Asked:
    """What an exchange began with asked: the handshake of a WebSocket, or a request with this
    ``body``, as it was sent."""
    if request.is_upgrade:
        return asked_by_upgrade(request.headers)
    purpose = purpose_of(request.method, request.target, is_upgrade=False)
    return asked_over_http(purpose, request.headers, body)


def asked_at(target: str, asked: Asked) -> Asked:
    """What was asked, with the query of the request's target; as on a tape, without secrets."""
    return replace(asked, query=redact_text(target).partition("?")[2])


def asked_over_http(purpose: Purpose | None, headers: Headers, body: bytes) -> Asked:
    """What an HTTP request asked; ``body`` is as it was sent."""
    raw, fault = decode(body, ", ".join(all_headers(headers, "content-encoding")) or None)
    if fault is not None:
        raw = body
    parsed = _json(raw)
    kind = RequestKind.OTHER if purpose is None else _KIND_OF_PURPOSE[purpose]
    return Asked(kind, _session(headers, parsed), headers, parsed, raw)


def asked_by_upgrade(headers: Headers) -> Asked:
    """What the handshake of a WebSocket asked."""
    return Asked(RequestKind.UPGRADE, _session(headers, None), headers, None, b"")


def asked_by_message(upgrade: Headers, message: bytes) -> Asked:
    """What a WebSocket message asked on the socket opened with the headers ``upgrade``."""
    parsed = _json(message)
    kind = RequestKind.OTHER
    if isinstance(parsed, dict):
        match parsed.get("type"):
            case "response.create":
                is_warm_up = parsed.get("generate") is False
                kind = RequestKind.WARM_UP if is_warm_up else RequestKind.CREATE
            case "response.append":
                kind = RequestKind.APPEND
    return Asked(kind, _session(upgrade, parsed), upgrade, parsed, message)


def session_named(headers: Headers) -> str | None:
    """The conversation that a request's headers name."""
    for name in SESSION_HEADERS:
        if value := header(headers, name):
            return value
    return None


def _session(headers: Headers, body: Any) -> str | None:
    if named := session_named(headers):
        return named
    key = body.get("prompt_cache_key") if isinstance(body, dict) else None
    return key if isinstance(key, str) else None


def _json(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
