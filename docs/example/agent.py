"""A small agent: asks the model, runs the tool that it calls for, and goes on until it answers."""

import json
from collections.abc import Callable
from datetime import date
from typing import Any

from openai import OpenAI

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "name": "weekday",
        "description": "The day of the week of a date.",
        "parameters": {
            "type": "object",
            "properties": {"day": {"type": "string", "description": "Like 2026-01-02."}},
            "required": ["day"],
        },
    }
]
DOES: dict[str, Callable[..., str]] = {
    "weekday": lambda day: f"{date.fromisoformat(day):%A}",
}


def answer(question: str) -> str:
    """What the model answers to the question in the end."""
    conversation: list[Any] = [{"type": "message", "role": "user", "content": question}]
    with OpenAI() as client:
        while True:
            response = _ask(client, conversation)
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return str(response.output_text)
            conversation += [item.model_dump(exclude_none=True) for item in response.output]
            conversation += [_done(call) for call in calls]


def _ask(client: OpenAI, conversation: list[Any]) -> Any:
    with client.responses.create(
        model="gpt-5.2",
        instructions="Be brief.",
        input=conversation,
        tools=TOOLS,
        stream=True,
    ) as events:
        (response,) = [event.response for event in events if event.type == "response.completed"]
    return response


def _done(call: Any) -> dict[str, str]:
    output = DOES[call.name](**json.loads(call.arguments))
    return {"type": "function_call_output", "call_id": call.call_id, "output": output}
