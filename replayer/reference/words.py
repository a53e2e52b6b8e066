"""What a client saw or did, in a few words."""

import json
from dataclasses import fields
from typing import Any, Final

from wiretape.client.actions import (
    Ask,
    Fail,
    Finish,
    Post,
    Printed,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.decoding import Ignored
from wiretape.client.turn import Output
from wiretape.words import cut, cut_to_parting

_SHOWN: Final = 200
_LEAD: Final = 60


def told(output: Output) -> str:
    """All that there is to say of it, which may be long."""
    match output:
        case Upgrade(delay_ms):
            return f"opens a WebSocket{_after(delay_ms)}"
        case Post(delay_ms):
            return f"asks over HTTP{_after(delay_ms)}"
        case WarmUp():
            return "warms up on its WebSocket"
        case Ask():
            return "asks on its WebSocket"
        case RunTools():
            return "runs tools"
        case Finish():
            return "ends its turn well"
        case Fail(text):
            return f"gives up: {text}"
        case Printed():
            return f"prints: {output.line}"
        case Ignored(reason, text):
            return f"passes over ({reason}): {text}"
        case _:
            return f"sees {type(output).__name__}{_fields(output)}"


def brief(text: str) -> str:
    """As much of it as fits on a line or two."""
    return cut(text, _SHOWN)


def shortened(one: str, other: str) -> tuple[str, str]:
    """Two texts, cut to where they part."""
    return cut_to_parting(one, other, _SHOWN, _LEAD)


def _after(delay_ms: int) -> str:
    return f" after {delay_ms} ms" if delay_ms else ""


def _fields(event: Any) -> str:
    values = (getattr(event, each.name) for each in fields(event))
    shown = (
        json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else repr(value)
        for value in values
    )
    return f"({', '.join(shown)})"
