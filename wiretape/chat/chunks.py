"""What one chunk of a streamed answer says by itself, for whoever looks at single events.

What a client makes of all of them together is :mod:`wiretape.chat.stream`'s. ``reasoning_content``
is read here though no client of document 000 did: the servers that stream it mean it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wiretape.chat.response import token_usage
from wiretape.chat.shapes import array, field, parse_json, string, unsigned
from wiretape.chat.texts import content_texts, reasoning_text
from wiretape.client.events import TokenUsage
from wiretape.events import Channel


@dataclass(frozen=True, slots=True)
class ChunkText:
    """A piece of a text. ``call`` is the index of the call whose arguments it is part of, ``name``
    the function's, where this piece tells it."""

    channel: Channel
    text: str
    call: int | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk. ``finish_reason`` is ``None`` as long as more is to come."""

    texts: tuple[ChunkText, ...]
    finish_reason: str | None
    usage: TokenUsage | None


def chunk_in(text: str) -> Chunk | None:
    """The chunk that an event's data holds; ``None`` where it holds something else."""
    try:
        raw = parse_json(text)
    except ValueError:
        return None
    if not isinstance(field(raw, "choices"), list):
        return None
    choices = array(raw, "choices")
    texts = (each for choice in choices for each in _texts(field(choice, "delta")))
    reasons = (string(choice, "finish_reason") for choice in choices)
    return Chunk(
        tuple(each for each in texts if each.text or each.name),
        next(filter(None, reasons), None),
        token_usage(field(raw, "usage")),
    )


def _texts(delta: object) -> Iterator[ChunkText]:
    yield ChunkText(
        Channel.REASONING, reasoning_text(delta) or string(delta, "reasoning_content") or ""
    )
    yield ChunkText(Channel.TEXT, "".join(content_texts(field(delta, "content"))))
    yield ChunkText(Channel.REFUSAL, string(delta, "refusal") or "")
    for place, call in enumerate(array(delta, "tool_calls")):
        index, function = unsigned(call, "index"), field(call, "function")
        yield ChunkText(
            Channel.ARGUMENTS,
            string(function, "arguments") or "",
            place if index is None else index,
            string(function, "name") or None,
        )
