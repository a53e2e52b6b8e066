"""The JSON twin of a page, and the one shape of an error."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from wiretape.jsontext import mended

HTML_ONLY: Final = {"html_only": True}
"""Metadata of a field that only lays out what another one holds."""


MOST_CHARACTERS: Final = 100_000
"""Of one string; whoever wants more takes the raw download."""
_MOST_DEPTH: Final = 100


def twin(page: Any, depth: int = 0) -> Any:
    """A page, or anything in it, as what JSON can hold everywhere; field by field, under the same
    names. Half a character is U+FFFD: many readers of JSON refuse it."""
    if depth > _MOST_DEPTH:
        return "… nested too deeply"
    if is_dataclass(page) and not isinstance(page, type):
        return {
            field.name: twin(getattr(page, field.name), depth + 1)
            for field in fields(page)
            if not field.metadata.get("html_only")
        }
    match page:
        case list() | tuple():
            return [twin(each, depth + 1) for each in page]
        case Mapping():
            return {mended(str(key)): twin(value, depth + 1) for key, value in page.items()}
        case str() if len(page) > MOST_CHARACTERS:
            return (
                twin(page[:MOST_CHARACTERS]) + f"… {len(page) - MOST_CHARACTERS:,} more characters"
            )
        case str():
            return mended(page)
        case int() | float() | None:
            return page
        case _:
            return mended(str(page))


def error_twin(status: int, message: str) -> dict[str, Any]:
    """What every refusal looks like as JSON."""
    return {"error": {"status": status, "message": mended(message)}}
