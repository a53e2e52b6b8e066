"""Tapes of what a Codex asks and is answered, put together item by item."""

from typing import Any

from tapes import COMPLETE, JSON_HEADERS, Ending, Recording, Step, message, says, sse, wants

from wiretape.facts import Headers

OLD: Headers = (("user-agent", "codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown"),)
NEW: Headers = (("user-agent", "codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown"),)
_OFFER: Headers = (("sec-websocket-extensions", "permessage-deflate; client_max_window_bits"),)
OLD_UPGRADE: Headers = (*OLD, ("openai-beta", "responses_websockets=2026-02-04"), *_OFFER)
NEW_UPGRADE: Headers = (*NEW, ("openai-beta", "responses_websockets=2026-02-06"), *_OFFER)

type Item = dict[str, Any]
type Event = dict[str, Any]

HELLO = message("hello")
CALL: Item = {"type": "function_call", "call_id": "c1", "name": "shell", "arguments": '{"a": 1}'}
OUTPUT: Item = {"type": "function_call_output", "call_id": "c1", "output": "done"}
SAID: Item = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "hi"}],
}
BODY: dict[str, Any] = {"model": "m", "instructions": "Be brief.", "tools": [], "stream": True}


def created(response: str = "r1") -> Event:
    """A response begins."""
    return {"type": "response.created", "response": {"id": response}}


def done(item: Item) -> Event:
    """An item is whole. The server has its own id for it."""
    return {"type": "response.output_item.done", "item": {**item, "id": "item_1"}}


def completed(response: str = "r1") -> Event:
    """A response ends well."""
    return {"type": "response.completed", "response": {"id": response}}


def failed(code: str = "server_error") -> Event:
    """A response fails."""
    return {"type": "response.failed", "response": {"error": {"code": code, "message": "boom"}}}


def delta(text: str) -> Event:
    """Some of a text."""
    return {"type": "response.output_text.delta", "delta": text}


def answer(*items: Item, response: str = "r1") -> tuple[Event, ...]:
    """A whole answer."""
    return (created(response), *map(done, items), completed(response))


def asked(*items: Item, **members: Any) -> dict[str, Any]:
    """The body of a request with these items for its input."""
    return {**BODY, "input": list(items), **members}


def post(
    recording: Recording,
    items: tuple[Item, ...],
    events: tuple[Event, ...],
    ending: Ending = COMPLETE,
    *,
    agent: Headers = OLD,
) -> int:
    """A request over HTTP, and what the stream said."""
    headers = JSON_HEADERS + agent
    return recording.post(asked(*items), sse(*events), ending, asked_with=headers)


def asks(*items: Item, **members: Any) -> tuple[Step, ...]:
    """The client asks on its socket."""
    return wants({"type": "response.create", **asked(*items, **members)})


def appends(*items: Item) -> tuple[Step, ...]:
    """The client asks on its socket, and says only what is new."""
    return wants({"type": "response.append", "input": list(items)})


def answers(*items: Item, response: str = "r1") -> tuple[Step, ...]:
    """The server answers on the socket."""
    return says(*answer(*items, response=response))


WARMED_UP = (asks(generate=False), answers(response="r0"), asks(HELLO, previous_response_id="r0"))
"""How a socket of the newer client begins."""
