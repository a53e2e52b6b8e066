"""Which tools a client offers, and how the model asks one of them to run a command."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model writes it. ``input`` is JSON, or free text for a custom tool."""

    name: str
    input: str
    is_custom: bool = False


def offered(body: Any) -> tuple[str, ...]:
    """The names of the tools in a request's body, those inside namespaces too.

    They stand in ``tools``, or in an ``additional_tools`` item of the input.
    """
    if not isinstance(body, dict):
        return ()
    items = [item for item in body.get("input", ()) if item["type"] == "additional_tools"]
    return tuple(name for holder in (body, *items) for name in _names(holder))


def _names(holder: dict[str, Any]) -> Iterator[str]:
    for tool in holder.get("tools", ()):
        if "tools" in tool:
            yield from _names(tool)
        elif "name" in tool:
            yield tool["name"]


def run_command(tools: Sequence[str], command: str) -> ToolCall:
    """The call that runs ``command`` with the first tool that can.

    ``LookupError`` when none of them runs commands.
    """
    by_name = {
        "exec_command": ToolCall("exec_command", _json(cmd=command, login=False)),
        "shell_command": ToolCall("shell_command", _json(command=command, login=False)),
        "shell": ToolCall("shell", _json(command=["bash", "-c", command])),
        # The tool that runs JavaScript, in which the others are functions.
        "exec": ToolCall(
            "exec",
            f"const run = await tools.exec_command({_json(cmd=command, login=False)});\n"
            "text(run.output);\n",
            is_custom=True,
        ),
    }
    for name, call in by_name.items():
        if name in tools:
            return call
    raise LookupError(f"the client offers no tool that runs a command, only {sorted(tools)}")


def _json(**arguments: object) -> str:
    return json.dumps(arguments, ensure_ascii=False)
