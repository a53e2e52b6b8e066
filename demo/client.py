#!/usr/bin/env python
"""A small agent on httpx that takes Codex's place in the demo where there is no Codex.

It is called as Codex is (``client.py exec [OPTIONS] PROMPT``, with ``$CODEX_HOME/config.toml``) and
prints its events as Codex does, a JSON object a line. It speaks the Responses API over SSE, runs
the commands that the model asks for, and tries again when a stream ends before it is complete.
"""

import json
import os
import subprocess
import sys
import time
import tomllib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx

from wiretape.sse import SseDecoder

_TRIES: Final = 3
_PAUSE_S: Final = 0.2
_TOOL: Final = {
    "type": "function",
    "name": "shell_command",
    "description": "Runs a command of the shell and returns what it printed.",
    "parameters": {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    },
}

type Item = dict[str, Any]


class Unfinished(Exception):
    """A stream ended before the response was complete. The message says how."""


def main() -> int:
    """Talks to the model until it has nothing more to ask for."""
    thread = str(uuid.uuid4())
    said("thread.started", thread_id=thread)
    conversation: list[Item] = [
        {
            "type": "message",
            "role": "user",
            "content": [{"type": "input_text", "text": sys.argv[-1]}],
        }
    ]
    with httpx.Client(base_url=_base_url(), headers={"session_id": thread}) as client:
        while True:
            items = _answered(client, conversation)
            if items is None:
                return 1
            conversation += items
            calls = [item for item in items if item["type"] == "function_call"]
            if not calls:
                said("turn.completed")
                return 0
            conversation += map(_run, calls)


def said(kind: str, **details: object) -> None:
    """Prints one event."""
    print(json.dumps({"type": kind, **details}), flush=True)


def _answered(client: httpx.Client, conversation: list[Item]) -> list[Item] | None:
    """The items of the model's answer; ``None`` when every try at it was in vain."""
    for number in range(_TRIES):
        try:
            return list(_items(client, conversation))
        except (Unfinished, httpx.TransportError) as error:
            said("error", message=f"Try {number + 1} of {_TRIES} failed: {error}")
            time.sleep(_PAUSE_S)
    return None


def _items(client: httpx.Client, conversation: list[Item]) -> Iterator[Item]:
    body = {"model": "demo", "input": conversation, "tools": [_TOOL], "stream": True}
    with client.stream("POST", "responses", json=body) as response:
        if response.status_code != httpx.codes.OK:
            raise Unfinished(f"HTTP {response.status_code}")
        for event in _events(response):
            match event["type"]:
                case "response.output_item.done":
                    item = event["item"]
                    if item["type"] == "message":
                        text = "".join(part["text"] for part in item["content"])
                        said("item.completed", item={"type": "agent_message", "text": text})
                    yield item
                case "response.completed":
                    return
    raise Unfinished("the stream ended before response.completed")


def _events(response: httpx.Response) -> Iterator[dict[str, Any]]:
    decoder = SseDecoder()
    for chunk in response.iter_bytes():
        yield from (json.loads(event.data) for event in decoder.feed(chunk))


def _run(call: Item) -> Item:
    command = json.loads(call["arguments"])["command"]
    ran = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    ran_item = {"type": "command_execution", "command": command, "exit_code": ran.returncode}
    said("item.completed", item=ran_item | {"aggregated_output": ran.stdout})
    return {"type": "function_call_output", "call_id": call["call_id"], "output": ran.stdout}


def _base_url() -> str:
    config = tomllib.loads((Path(os.environ["CODEX_HOME"]) / "config.toml").read_text("utf-8"))
    url = config["model_providers"][config["model_provider"]]["base_url"]
    assert isinstance(url, str)
    return url


if __name__ == "__main__":
    sys.exit(main())
