"""What an event says, in one line for a table: the text it streams, the item, the error, the cost.

The line is made of what the event holds and nothing else; for an event that is not known it is
the start of its text.
"""

from typing import Final

from inspector_web.marks import RATE_LIMITS
from inspector_web.visible import one_line
from wiretape.asked import RequestKind, asked_by_message
from wiretape.chat.chunks import Chunk, chunk_in
from wiretape.client.heads import rate_limits_event
from wiretape.crossings import Crossing
from wiretape.events import (
    Delta,
    ErrorEvent,
    ErrorInfo,
    ItemAdded,
    ItemDone,
    Lifecycle,
    PartAdded,
    TextDone,
    UnknownEvent,
    parse_event,
)
from wiretape.facts import Sender
from wiretape.jsontext import JsonObject, string_at

LIMIT: Final = 200
"""Characters of a summary."""

_LONGEST_PARSED: Final = 1_000_000
"""Characters beyond which an event is not taken apart for the sake of one line."""


def summary_of(crossing: Crossing) -> tuple[str, bool]:
    """The line, and whether the event is one that is not known here."""
    if crossing.text is None or crossing.summary:
        return one_line(crossing.summary, LIMIT), False
    if len(crossing.text) > _LONGEST_PARSED or crossing.type.startswith(("http.", "[")):
        return one_line(crossing.text, LIMIT), False
    if crossing.sender is Sender.CLIENT:
        line, is_unknown = _of_client(crossing.text)
    else:
        line, is_unknown = _of_server(crossing.text)
    return one_line(line, LIMIT), is_unknown


def _of_client(text: str) -> tuple[str, bool]:
    asked = asked_by_message((), text.encode())
    if asked.kind is RequestKind.OTHER:
        return text, True
    before = string_at(asked.body, "previous_response_id")
    words = [
        "warm-up" if asked.kind is RequestKind.WARM_UP else "",
        asked.model or "",
        _counted(len(asked.input_items)),
        f"after {before}" if before else "",
    ]
    return ", ".join(filter(None, words)), False


def _counted(count: int) -> str:
    return f"{count} input item{'' if count == 1 else 's'}" if count else ""


def _of_server(text: str) -> tuple[str, bool]:
    match parse_event(text):
        case Delta(delta=delta):
            return delta, False
        case TextDone(text=whole):
            return whole, False
        case ItemAdded(item=item) | ItemDone(item=item):
            return _item(item), False
        case PartAdded(channel=channel):
            return channel or "", False
        case ErrorEvent(error=error, status=status):
            return " ".join(filter(None, [str(status or ""), _error(error)])), False
        case Lifecycle() as event:
            return _lifecycle(event), False
        case UnknownEvent(problem=problem) if problem:
            return problem, True
        case UnknownEvent() as event if event.type == RATE_LIMITS and (told := _limits(event.raw)):
            return told, False
        case UnknownEvent(type="") if (chunk := chunk_in(text)) is not None:
            return _chunk(chunk), False
        case _:
            return text, True


def _chunk(chunk: Chunk) -> str:
    """What a chunk of a chat says: its texts, why it ends, its cost."""
    words = [*(" ".join(filter(None, (each.name, each.text))) for each in chunk.texts)]
    if chunk.finish_reason is not None:
        words.append(f"finished: {chunk.finish_reason}")
    if (usage := chunk.usage) is not None:
        words.append(_cost(usage.input_tokens, usage.cached_input_tokens, usage.output_tokens))
    return ", ".join(words)


def _limits(raw: JsonObject) -> str:
    """How much of each window of the rate limits is used; empty where it is not told."""
    limits = rate_limits_event(raw)
    if limits is None:
        return ""
    windows = (("primary", limits.primary), ("secondary", limits.secondary))
    return ", ".join(f"{name} {each.used_percent:g} % used" for name, each in windows if each)


def _lifecycle(event: Lifecycle) -> str:
    if event.error:
        return _error(event.error)
    if usage := event.usage:
        return _cost(usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    return event.incomplete_reason or event.response_id or ""


def _cost(given: int, cached: int, made: int) -> str:
    of_these = f" ({cached} cached)" if cached else ""
    return f"{given} tokens in{of_these}, {made} out"


def _error(error: ErrorInfo) -> str:
    return ": ".join(filter(None, [error.code or error.type, error.message]))


_TOLD: Final = ("name", "arguments", "input", "status")


def _item(item: JsonObject) -> str:
    words = [string_at(item, "type") or "item"]
    words += [value for key in _TOLD if (value := string_at(item, key))]
    return " ".join(words)
