"""Replies that the cells of the client's table are made of: events written out, and statuses."""

import json

from provider_script import Accept, Ending, Event, Plain, Reply, Script, Written


def event(kind: str, **fields: object) -> dict[str, object]:
    """An event of the Responses API."""
    return {"type": kind, **fields}


def failed(code: str | None = None, message: str | None = None, **more: object) -> Event:
    """A ``response.failed`` with an error that has these fields."""
    given = {"code": code, "message": message, **more}
    error = {name: value for name, value in given.items() if value is not None}
    return event("response.failed", response={"id": "resp_1", "error": error})


def incomplete(reason: str) -> Event:
    """A ``response.incomplete`` for this reason."""
    return event("response.incomplete", response={"incomplete_details": {"reason": reason}})


def error_event(status: int | None = None, **fields: object) -> Event:
    """The ``error`` event, which carries a status over WebSocket."""
    return event("error", **({} if status is None else {"status": status}), **fields)


def replies(*events: Event) -> tuple[Reply, ...]:
    """One reply, given to every request, that begins a response and goes on with these."""
    return (Reply(Written((CREATED, *events))),)


def body(**error: object) -> str:
    """The body of a refusal."""
    return json.dumps({"error": error})


CREATED = event("response.created", response={"id": "resp_1"})
MESSAGE: dict[str, object] = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "hi"}],
}
SAID = event("response.output_item.done", item=MESSAGE)
USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
COMPLETED = event("response.completed", response={"id": "resp_1", "usage": USAGE})
ANSWER = replies(SAID, COMPLETED)
LOST = replies(failed("server_error", "boom"))
OPEN = (Accept(),)
BAD = body(message="bad thing", type="scripted")


def ended(end: Ending, *events: Event) -> tuple[Reply, ...]:
    """One reply, given to every request, that ends like this after these events."""
    return (Reply(Written((CREATED, *events)), end),)


def cut_short(only: int) -> tuple[Reply, ...]:
    """One reply, given to every request, of the first ``only`` events of an answer."""
    return (Reply(Written((CREATED, SAID)), only=only),)


def on_socket(messages: tuple[Reply, ...], posts: tuple[Reply | Plain, ...] = ANSWER) -> Script:
    """Each upgrade is accepted and each message answered so; a client that falls back is too."""
    return Script(posts=posts, upgrades=OPEN, messages=messages)
