"""What is asked and answered on the chat wire."""

from typing import Any

CHAT_TARGET = "/v1/chat/completions"


def chat_ask(*messages: dict[str, Any]) -> dict[str, Any]:
    """The body of a request; without messages, the user says ``hi``."""
    return {"model": "m", "messages": [*(messages or ({"role": "user", "content": "hi"},))]}


def chat_chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """A chunk of a streamed answer."""
    return {"id": "chat_1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def chat_call(call_id: str = "c1", name: str = "n", arguments: str = "") -> dict[str, Any]:
    """The delta that calls a function."""
    function = {"name": name, "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": call_id, "function": function}]}
