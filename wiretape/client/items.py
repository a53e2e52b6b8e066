"""Which output items the client can read: a table of what each type must hold.

An item of a type that is not here is read as "something else" and kept; an item of a type that is
here and lacks what it needs is dropped by the client, and the stream goes on. Source: document
002 §3.2; the types and their fields are the published client 0.99's.
"""

from collections.abc import Callable, Mapping

type _Check = Callable[[object], bool]


def is_readable(item: object) -> bool:
    """Whether the client can read this item of an answer (§3.2)."""
    if not isinstance(item, dict):
        return False
    kind = item.get("type")
    return isinstance(kind, str) and _holds(item, _ITEMS.get(kind, {}))


def _holds(value: Mapping[str, object], fields: Mapping[str, _Check]) -> bool:
    """Whether each field passes its check; a field that is missing is ``None``."""
    return all(check(value.get(name)) for name, check in fields.items())


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_absent(value: object) -> bool:
    return value is None or isinstance(value, str)


def _one_of(*values: str) -> _Check:
    return lambda value: value in values


def _optional(check: _Check) -> _Check:
    return lambda value: value is None or check(value)


def _object(fields: Mapping[str, _Check]) -> _Check:
    return lambda value: isinstance(value, dict) and _holds(value, fields)


def _list_of(check: _Check) -> _Check:
    return lambda value: isinstance(value, list) and all(check(each) for each in value)


def _tagged(kinds: Mapping[str, Mapping[str, _Check]]) -> _Check:
    """An object whose ``type`` is one of ``kinds``, with the fields of that kind."""

    def check(value: object) -> bool:
        if not isinstance(value, dict):
            return False
        kind = value.get("type")
        return isinstance(kind, str) and kind in kinds and _holds(value, kinds[kind])

    return check


def _is_output(value: object) -> bool:
    return isinstance(value, str) or _CONTENT_LIST(value)


_TEXT: Mapping[str, _Check] = {"text": _is_text}
_CONTENT_LIST = _list_of(
    _tagged({"input_text": _TEXT, "output_text": _TEXT, "input_image": {"image_url": _is_text}})
)
_EXEC = {
    "command": _list_of(_is_text),
    "working_directory": _is_text_or_absent,
    "user": _is_text_or_absent,
}

_ITEMS: Mapping[str, Mapping[str, _Check]] = {
    "message": {"role": _is_text, "content": _CONTENT_LIST, "id": _is_text_or_absent},
    "reasoning": {
        "summary": _list_of(_tagged({"summary_text": _TEXT})),
        "content": _optional(_list_of(_tagged({"reasoning_text": _TEXT, "text": _TEXT}))),
        "encrypted_content": _is_text_or_absent,
    },
    "local_shell_call": {
        "call_id": _is_text_or_absent,
        "status": _one_of("completed", "in_progress", "incomplete"),
        "action": _tagged({"exec": _EXEC}),
    },
    "function_call": {"name": _is_text, "arguments": _is_text, "call_id": _is_text},
    "function_call_output": {"call_id": _is_text, "output": _is_output},
    "custom_tool_call": {
        "call_id": _is_text,
        "name": _is_text,
        "input": _is_text,
        "status": _is_text_or_absent,
    },
    "custom_tool_call_output": {"call_id": _is_text, "output": _is_output},
    "web_search_call": {
        "status": _is_text_or_absent,
        "action": _optional(_object({"type": _is_text})),
    },
    "ghost_snapshot": {"ghost_commit": _object({})},
    "compaction": {"encrypted_content": _is_text},
    "compaction_summary": {"encrypted_content": _is_text},
}
