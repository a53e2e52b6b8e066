"""Calls that print something and do nothing else, as a table of the tools that can."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from shlex import quote
from typing import Any, Final

from replayer.tools.printed import NO_OUTPUT, Shown, printed, shown
from replayer.tools.shortened import Part, Run
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at

_LONGEST_SCRIPT_BYTES: Final = 100_000
"""Linux takes no longer argument than 128 KiB."""


_NOTHING_SHOWN: Final = "// It showed nothing.\n"
"""No script at all would be refused."""

_EMPTY_TEXT: Final = 'text("");\n'
"""The client leaves such a text out, but what is left is a list of parts nevertheless."""


_PATCHES: Final = re.compile(r"(?:\S*sh -\w+ )?\s*(?:cd [^&;]+&&\s*)?apply_?patch\b")
"""A command that the client does not hand to a shell: it applies the patch, and words the output
and a warning of its own."""

_PATCHED: Final = "the client had applied a patch by itself"


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The members of a call's item that are to be replaced, and why the client may give another
    output than the recorded one."""

    members: Mapping[str, Any]
    doubt: str | None


def tool_of(item: JsonObject) -> str:
    """How a person calls the tool of a call."""
    name = string_at(item, "name")
    return name if name is not None else str(item.get("type")).removesuffix("_call")


def rewritten(item: JsonObject, output: Any = None) -> Rewritten | None:
    """The call that prints ``output``, ``None`` where its tool cannot.

    What a call says of time and space (how long to wait, how much to show) is kept, where it runs
    and what it may do is not: printing needs neither.
    """
    key = item.get("type"), string_at(item, "name") if "name" in item else None
    write = _TOOLS.get(key)
    if write is None or "namespace" in item:
        return None
    new = write(item, output)
    return replace(new, doubt=_PATCHED) if _PATCHES.match(_command(item)) else new


def _command(item: JsonObject) -> str:
    """The words of a shell call, empty where it is none."""
    said = parse_object(string_at(item, "arguments") or "")
    arguments = object_at(item, "action") if isinstance(said, Unparsable) else said
    words = arguments.get("cmd", arguments.get("command"))
    return " ".join(map(str, words)) if isinstance(words, list) else str(words)


def _script(output: Any) -> tuple[str, str | None]:
    found = NO_OUTPUT if output is None else printed(output)
    doubt, text = found.doubt, found.text
    script = "; ".join(map(_prints, found.instead or (text,))).encode()
    while len(script) > _LONGEST_SCRIPT_BYTES:
        text, doubt = text[: len(text) * 3 // 4], "its output is too long to be printed"
        script = _prints(text).encode()
    said = script.decode()
    return (said if found.exit_code == 0 else f"{said}; exit {found.exit_code}"), doubt


def _prints(part: Part) -> str:
    """What prints this in any shell; nothing else is needed for it than what each system has."""
    match part:
        case bytes():
            return f"printf '{''.join(f'\\{each:03o}' for each in part)}'"
        case Run(character, 1):
            return _prints(character)
        case Run("\n", count):
            return f"printf %{count}s '' | tr ' ' '\\n'"
        case Run(character, count):
            return f"printf %{count}s '' | sed 's/ /{character}/g'"
    return f"printf %s {quote(part)}"


def _function(
    key: str, written: Callable[[str], Any], *kept: str, name: str | None = None
) -> Callable[[JsonObject, Any], Rewritten]:
    """A function with its command under ``key``; ``kept`` are the arguments that stay."""

    def write(item: JsonObject, output: Any) -> Rewritten:
        script, doubt = _script(output)
        said = parse_object(string_at(item, "arguments") or "")
        old = {} if isinstance(said, Unparsable) else said
        arguments = {key: written(script), **{each: old[each] for each in kept if each in old}}
        members: dict[str, Any] = {"arguments": json.dumps(arguments, ensure_ascii=False)}
        return Rewritten(members if name is None else {"name": name, **members}, doubt)

    return write


def _local_shell(item: JsonObject, output: Any) -> Rewritten:
    script, doubt = _script(output)
    kept = {"type", "timeout_ms"}
    action = {name: each for name, each in object_at(item, "action").items() if name in kept}
    return Rewritten({"action": {**action, "command": _in_a_shell(script)}}, doubt)


def _javascript(_: JsonObject, output: Any) -> Rewritten:
    found = Shown(doubt=NO_OUTPUT.doubt) if output is None else shown(output)
    lines = [f"text({' + '.join(map(_expression, parts))});\n" for parts in found.texts]
    if found.error is not None:
        lines.append(f"throw {_expression(found.error)};\n")
    if not lines:
        lines = [_EMPTY_TEXT if isinstance(output, list) else _NOTHING_SHOWN]
    return Rewritten({"input": "".join(lines)}, found.doubt)


def _expression(part: Part) -> str:
    """What this is in JavaScript."""
    match part:
        case Run(character, count):
            return f"{_expression(character)}.repeat({count})"
    return json.dumps(part, ensure_ascii=False)


def _itself(script: str) -> str:
    return script


def _in_a_shell(script: str) -> list[str]:
    return ["sh", "-c", script]


_WAITING: Final = ("login", "yield_time_ms", "max_output_tokens")
_TOOLS: Final[Mapping[tuple[Any, str | None], Callable[[JsonObject, Any], Rewritten]]] = {
    ("function_call", "exec_command"): _function("cmd", _itself, *_WAITING),
    # What goes on after it was asked for is asked for again: each time it prints its share.
    ("function_call", "write_stdin"): _function(
        "cmd", _itself, "yield_time_ms", "max_output_tokens", name="exec_command"
    ),
    ("function_call", "shell_command"): _function("command", _itself, "login", "timeout_ms"),
    ("function_call", "shell"): _function("command", _in_a_shell, "timeout_ms"),
    ("function_call", "container.exec"): _function("command", _in_a_shell, "timeout_ms"),
    ("function_call", "local_shell"): _function("command", _in_a_shell, "timeout_ms"),
    ("local_shell_call", None): _local_shell,
    # The tool that runs JavaScript, in which the others are functions.
    ("custom_tool_call", "exec"): _javascript,
}
