"""One task given on a command line: the prompt of a single turn, with tools that are never run."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, override

from replayer.reference.conversation import NOT_RECORDED, call_id, output_item
from replayer.reference.user import Identity, Prompt, User
from wiretape import __version__
from wiretape.client.events import Item
from wiretape.client.repeating import sent_back
from wiretape.client.requests import Request
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject

INSTRUCTIONS: Final = "You are a coding agent. Use the shell where it helps, and be brief."
DEFAULT_MODEL: Final = "gpt-5.2-codex"
SHELL: Final[JsonObject] = {
    "type": "function",
    "name": "shell_command",
    "description": "Runs a command of the shell and returns what it printed.",
    "strict": False,
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
        "additionalProperties": False,
    },
}


class Task(User):
    """Asks ``prompt`` once.

    ``outputs`` are what tools gave in a recording, by call id: nothing else answers a call.
    """

    def __init__(self, prompt: str, model: str | None, outputs: Mapping[object, Item]) -> None:
        self.thread = str(uuid.uuid4())
        self._outputs = outputs
        self._request: Request | None = Request(
            model=model or DEFAULT_MODEL,
            instructions=INSTRUCTIONS,
            input=(user_message(prompt),),
            conversation_id=self.thread,
            tools=(SHELL,),
            parallel_tool_calls=True,
            reasoning={"effort": "medium", "summary": "auto"},
        )

    @override
    def next_prompt(self, said: Sequence[Item]) -> Prompt | None:
        request, self._request = self._request, None
        if request is None:
            return None
        return Prompt(request, warm_up=replace(request, input=()), begins=True)

    def sent_back(self, item: Item) -> Item | None:
        return sent_back(item)

    def output_of(self, call: Item) -> Item:
        return self._outputs.get(call_id(call)) or output_item(call, NOT_RECORDED)


def user_message(text: str) -> Item:
    """What the user says, as an item."""
    return {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": text}],
    }


def identity(version: str, key: str | None) -> Identity:
    """What a client of that version says of itself; ``key`` is the provider's.

    The user agent begins as Codex's does, because by it recordings tell how a client behaves.
    """
    own: Headers = (
        ("user-agent", f"codex_reference/{version} (wiretape {__version__})"),
        ("originator", "codex_reference"),
    )
    if key is not None:
        own = (("authorization", f"Bearer {key}"), *own)
    post = (("accept", "text/event-stream"), ("content-type", "application/json"))
    return Identity(upgrade=own, post=(*post, *own))
