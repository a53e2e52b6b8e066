"""How long the tool loop goes on, and what a tool's output looks like.

Source: document 004 (at most 256 rounds) and document 001 §3.2 (a custom tool's output has a type
of its own; every other is a function's).
"""

from typing import Final

from wiretape.client.events import Item

MOST_ROUNDS: Final = 256
"""So many requests a turn makes, and no more."""
TOO_MANY_ROUNDS: Final = f"The model still calls tools after {MOST_ROUNDS} rounds."
NOT_RECORDED: Final = "No output was recorded for this call."


def is_output(item: Item) -> bool:
    """Whether an item gives back what a tool gave."""
    return str(item.get("type")).endswith("_output")


def output_item(call: Item, output: str) -> Item:
    """The item that gives a call's output back."""
    is_custom = call["type"] == "custom_tool_call"
    return {
        "type": "custom_tool_call_output" if is_custom else "function_call_output",
        "call_id": call_id(call),
        "output": output,
    }


def call_id(call: Item) -> object:
    """By what a call and its output belong together; a local shell call may have its id only."""
    return call.get("call_id") or call.get("id")
