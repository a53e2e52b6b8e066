"""Reading JSON of unknown shape: what is missing, or of another kind, is ``None`` or empty.

The chat wire is many servers' dialect, and the client never stopped at a field it did not
understand; neither does this.
"""

import json
import re
from collections.abc import Mapping

_HALF_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> object:
    """The JSON value that ``text`` holds; ``ValueError`` where the client could not read it.

    Stricter than ``json.loads``: ``NaN``, ``Infinity`` and lone surrogates are no JSON to the
    client, and nesting too deep to read is an error like any other.
    """
    try:
        value: object = json.loads(text, parse_constant=_refuse)
        if _HALF_OF_A_PAIR.search(text):
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return value


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is not JSON")


def field(value: object, key: str) -> object:
    """``value[key]`` where ``value`` is an object that has it."""
    return value.get(key) if isinstance(value, Mapping) else None


def string(value: object, key: str) -> str | None:
    """The string under ``key``."""
    found = field(value, key)
    return found if isinstance(found, str) else None


def array(value: object, key: str) -> list[object]:
    """The array under ``key``."""
    found = field(value, key)
    return found if isinstance(found, list) else []


def unsigned(value: object, key: str) -> int | None:
    """The whole number under ``key`` that fits 64 bits without a sign."""
    found = field(value, key)
    if not isinstance(found, int) or isinstance(found, bool):
        return None
    return found if 0 <= found < 2**64 else None
