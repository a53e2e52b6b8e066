"""Tool calls and what the tools gave, as items of the wire.

A model calls by an item of its answer; the client gives back an item with the same ``call_id`` in
the input of a later request. Document 001 describes the calls (§1) and outputs (§3, §4) of the
older Codex; the kinds added since are those of the public Responses API.

An output does not say whether the tool failed: the client drops its own ``success`` on the way to
the wire (001 §3.2). Where it shows all the same, ``failure_in`` reads it: in an exit code within
the text, a status, or words that only a failure has.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from wiretape.digests import digest
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at


class ToolKind(StrEnum):
    """What kind of tool is called."""

    FUNCTION = "function"
    MCP = "mcp"
    """A function whose name or namespace says that an MCP server has it."""
    CUSTOM = "custom"
    """A tool with free text for input."""
    LOCAL_SHELL = "local_shell"
    SHELL = "shell"
    APPLY_PATCH = "apply_patch"
    COMPUTER = "computer"
    TOOL_SEARCH = "tool_search"
    """Looks for tools that were not offered at once."""


CALL_TYPES: Final[Mapping[str, ToolKind]] = {
    "function_call": ToolKind.FUNCTION,
    "custom_tool_call": ToolKind.CUSTOM,
    "local_shell_call": ToolKind.LOCAL_SHELL,
    "shell_call": ToolKind.SHELL,
    "apply_patch_call": ToolKind.APPLY_PATCH,
    "computer_call": ToolKind.COMPUTER,
    "tool_search_call": ToolKind.TOOL_SEARCH,
}
"""Item types that the client answers. Web search, file search, code interpreter, image generation
and hosted MCP are not here: the server runs those itself."""

_IS_OUTPUT = re.compile(r"[a-z_]+_output")
# 001 §1.1; the separator and the prefix are the published client's.
_MCP_NAME = re.compile(r"mcp__(.+?)__(.+)", re.DOTALL)
_MCP_NAMESPACE = re.compile(r"mcp__(.+?)(?:__)?", re.DOTALL)


class OutputShape(StrEnum):
    """How an output stands on the wire (001 §3.2)."""

    STRING = "string"
    ITEMS = "items"
    """A list of texts, images and the like."""
    OBJECT = "object"


@dataclass(frozen=True, slots=True)
class Call:
    """A call as its item says it. ``server`` is an MCP server's name; ``asks`` is a digest of the
    tool and its input, by which a call that is made again can be told."""

    call_id: str
    kind: ToolKind
    name: str
    server: str | None
    asks: str


@dataclass(frozen=True, slots=True)
class Output:
    """What a tool gave, as its item says it. ``failure`` says how it failed, ``None`` where the
    wire does not show that it did; ``says`` is a digest."""

    call_id: str
    shape: OutputShape
    size_bytes: int
    failure: str | None
    says: str


def calls_in(item: Any) -> Iterator[Call]:
    """The calls that an item makes: one, or for a chat message as many as it holds, or none."""
    if not isinstance(item, dict):
        return
    if item.get("role") == "assistant" and isinstance(item.get("tool_calls"), list):
        for each in item["tool_calls"]:
            if isinstance(each, dict) and (call_id := string_at(each, "id")):
                yield _function(call_id, object_at(each, "function"))
        return
    kind = CALL_TYPES.get(string_at(item, "type") or "")
    call_id = string_at(item, "call_id")
    if kind is ToolKind.LOCAL_SHELL:
        call_id = call_id or string_at(item, "id")
    if kind is None or call_id is None:
        return
    match kind:
        case ToolKind.FUNCTION:
            yield _function(call_id, item)
        case ToolKind.CUSTOM:
            name = string_at(item, "name") or ""
            yield Call(call_id, kind, name, None, digest([name, item.get("input")]))
        case _:
            asks = digest({key: item[key] for key in item.keys() - _VOLATILE})
            yield Call(call_id, kind, kind.value, None, asks)


def output_in(item: Any) -> Output | None:
    """The output that an item is, a chat's tool message included."""
    if not isinstance(item, dict):
        return None
    call_id, given = string_at(item, "call_id"), item.get("output")
    if item.get("role") == "tool":
        call_id, given = string_at(item, "tool_call_id"), item.get("content")
    elif not _IS_OUTPUT.fullmatch(string_at(item, "type") or ""):
        return None
    if call_id is None:
        return None
    texts = list(_texts(given))
    size_bytes = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    return Output(call_id, _shape(given), size_bytes, failure_in(item), digest(given))


def is_output(item: Any) -> bool:
    """Whether an item is an output, of whatever call."""
    return isinstance(item, dict) and (
        item.get("role") == "tool" or bool(_IS_OUTPUT.fullmatch(string_at(item, "type") or ""))
    )


def failure_in(item: JsonObject) -> str | None:
    """How the tool failed, in a few words, where the output shows that it did."""
    given = item.get("output", item.get("content"))
    if isinstance(given, dict) and given.get("success") is False:
        return "success: false"
    if item.get("status") in ("failed", "incomplete"):
        return f"status: {item['status']}"
    for part in given if isinstance(given, list) else ():
        outcome = object_at(part, "outcome") if isinstance(part, dict) else {}
        if failure := _failed_outcome(outcome):
            return failure
    text = next(_texts(given), "")
    return _failure_in_json(text) if text.startswith("{") else _failure_in_text(text)


def cut_in(item: JsonObject) -> str | None:
    """The words of an output that say what the client left out of it, where it holds such words.

    They may also stand in what the tool gave: in a file that holds such an output.
    """
    for text in _texts(item.get("output", item.get("content"))):
        if found := _SAYS_CUT.search(text):
            return found[0].strip()
    return None


def mcp_name(name: str, namespace: str | None) -> tuple[str, str] | None:
    """The MCP server and its tool that a function's name, or its namespace, stands for."""
    if namespace is not None:
        found = _MCP_NAMESPACE.fullmatch(namespace)
        return None if found is None else (found[1], name)
    found = _MCP_NAME.fullmatch(name)
    return None if found is None else (found[1], found[2])


ABORTED: Final = "aborted"
"""How a tool failed that the user interrupted."""
_VOLATILE: Final = frozenset({"id", "call_id", "status"})
_TEXT_KEYS: Final = ("text", "image_url", "stdout", "stderr")


def _function(call_id: str, said: JsonObject) -> Call:
    name, namespace = string_at(said, "name") or "", string_at(said, "namespace")
    asks = digest([namespace, name, said.get("arguments")])
    mcp = mcp_name(name, namespace)
    if mcp is not None:
        return Call(call_id, ToolKind.MCP, mcp[1], mcp[0], asks)
    return Call(call_id, ToolKind.FUNCTION, name, None, asks)


def _shape(given: Any) -> OutputShape:
    if isinstance(given, list):
        return OutputShape.ITEMS
    return OutputShape.OBJECT if isinstance(given, dict) else OutputShape.STRING


def _texts(given: Any) -> Iterator[str]:
    match given:
        case str():
            yield given
        case {"content": str() as text}:
            yield text
        case list():
            for part in given:
                if isinstance(part, dict):
                    yield from (part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str))


_SAYS_CUT: Final = re.compile(
    r"…\d+ (?:tokens|chars) truncated…"
    # Clients before 0.60.
    r"|\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]"
    r"|\[\.\.\. output truncated to fit \d+ bytes \.\.\.\]"
)
_SAYS_FAILURE: Final = (
    # Unified exec, with or without its "Chunk ID" line; shell_command and apply_patch.
    (
        re.compile(
            r"(?:Chunk ID: .*\n)?Wall time: .*\nProcess exited with code (?!0$)(-?\d+)$", re.M
        ),
        "exit code {0}",
    ),
    (re.compile(r"Exit code: (?!0$)(-?\d+)$", re.M), "exit code {0}"),
    # The tool that runs JavaScript.
    (re.compile(r"Script (failed|terminated)\n"), "script {0}"),
    (re.compile(r"(unsupported (?:custom tool )?call): "), "{0}"),
    (re.compile(r"(failed to parse function arguments): "), "{0}"),
    (re.compile(r"(apply_patch verification failed): "), "{0}"),
    (re.compile(r"((?:exec_command|write_stdin) failed): "), "{0}"),
    (re.compile(r"((?:tool call|execution) error): "), "{0}"),
    (re.compile(r"(?:(?:patch|exec command) )?(rejected by user)"), "{0}"),
    (re.compile(r"aborted(?:$| by user)"), ABORTED),
)
"""Beginnings of outputs that only a failure has: the published clients' 0.99.0 and 0.169.0, seen
in their outputs or found among their texts."""


def _failure_in_text(text: str) -> str | None:
    for pattern, words in _SAYS_FAILURE:
        if found := pattern.match(text):
            return words.format(*found.groups())
    return None


def _failure_in_json(text: str) -> str | None:
    """The shell tool of older clients: ``{"output": …, "metadata": {"exit_code": 1, …}}``."""
    raw = parse_object(text)
    code = None if isinstance(raw, Unparsable) else object_at(raw, "metadata").get("exit_code")
    return f"exit code {code}" if type(code) is int and code != 0 else None


def _failed_outcome(outcome: JsonObject) -> str | None:
    """The ``outcome`` of a command in a ``shell_call_output``."""
    code = outcome.get("exit_code")
    if outcome.get("type") == "timeout":
        return "timed out"
    return f"exit code {code}" if type(code) is int and code != 0 else None
