"""What ends a response well, ``response.completed``, and what is said where it cannot be read.

The client reads the response's ``id`` and ``usage`` strictly, field by field in the order they
stand, and the first that does not fit is its message: ``"failed to parse ResponseCompleted:
missing field `id`"``. Source: document 002 §3.2; the words are the published client's.
"""

from collections.abc import Callable, Mapping
from typing import Any

from wiretape.client.events import Completed, TokenUsage
from wiretape.client.failures import Failure, stream_failure
from wiretape.jsontext import JsonObject


def read_completed(response: object) -> Completed | Failure:
    """What a ``response.completed`` with this ``response`` says (§3.2)."""
    return _read(response, "ResponseCompleted", _COMPLETED, needs=("id",))


def read_done(response: object) -> Completed | Failure:
    """The same of a ``response.done``, whose response needs no ``id`` (§3.2)."""
    return _read(response, "ResponseDone", _DONE, needs=())


class _Unreadable(Exception):
    """What does not fit, in the client's words."""


type _Reader = Callable[[object], Any]


def _read(
    response: object, name: str, fields: Mapping[str, _Reader], needs: tuple[str, ...]
) -> Completed | Failure:
    try:
        found = _struct(name, fields, needs)(response)
    except _Unreadable as error:
        return stream_failure(f"failed to parse ResponseCompleted: {error}")
    return Completed(found.get("id") or "", found.get("usage"))


def _struct(name: str, fields: Mapping[str, _Reader], needs: tuple[str, ...]) -> _Reader:
    def read(value: object) -> JsonObject:
        if not isinstance(value, dict):
            raise _wrong(value, f"struct {name}")
        found = {key: fields[key](each) for key, each in value.items() if key in fields}
        for key in needs:
            if key not in found:
                raise _Unreadable(f"missing field `{key}`")
        return found

    return read


def _optional(reader: _Reader) -> _Reader:
    return lambda value: None if value is None else reader(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _wrong(value, "a string")
    return value


def _integer(value: object) -> int:
    if type(value) is not int:
        raise _wrong(value, "i64")
    return value


def _usage(value: object) -> TokenUsage:
    found = _struct("ResponseCompletedUsage", _USAGE, _USAGE_NEEDS)(value)
    return TokenUsage(
        input_tokens=found["input_tokens"],
        cached_input_tokens=(found.get("input_tokens_details") or {}).get("cached_tokens", 0),
        output_tokens=found["output_tokens"],
        reasoning_output_tokens=(found.get("output_tokens_details") or {}).get(
            "reasoning_tokens", 0
        ),
        total_tokens=found["total_tokens"],
    )


def _wrong(value: object, wanted: str) -> _Unreadable:
    match value:
        case None:
            what = "null"
        case bool():
            what = f"boolean `{str(value).lower()}`"
        case int():
            what = f"integer `{value}`"
        case float():
            what = f"floating point `{value}`"
        case str():
            what = f'string "{value}"'
        case list():
            what = "sequence"
        case _:
            what = "map"
    return _Unreadable(f"invalid type: {what}, expected {wanted}")


_USAGE: Mapping[str, _Reader] = {
    "input_tokens": _integer,
    "input_tokens_details": _optional(
        _struct(
            "ResponseCompletedInputTokensDetails", {"cached_tokens": _integer}, ("cached_tokens",)
        )
    ),
    "output_tokens": _integer,
    "output_tokens_details": _optional(
        _struct(
            "ResponseCompletedOutputTokensDetails",
            {"reasoning_tokens": _integer},
            ("reasoning_tokens",),
        )
    ),
    "total_tokens": _integer,
}
_USAGE_NEEDS = ("input_tokens", "output_tokens", "total_tokens")
_COMPLETED: Mapping[str, _Reader] = {"id": _text, "usage": _optional(_usage)}
_DONE: Mapping[str, _Reader] = {"id": _optional(_text), "usage": _optional(_usage)}
