"""A prompt → the body and headers of a Chat Completions request.

Source: document 000 §3.3 and §4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wiretape.chat.messages import chat_messages
from wiretape.client.events import Item
from wiretape.errors import CannotExpress
from wiretape.facts import Headers

OUTPUT_SCHEMA_REFUSED = "output_schema is not supported for Chat Completions API"


class Subagent(StrEnum):
    """The sub-agents that the client names itself; any other goes by its own label."""

    REVIEW = "review"
    COMPACT = "compact"
    COLLAB_SPAWN = "collab_spawn"


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """What a client wants to ask of a model over the chat wire.

    ``items`` are conversation items and ``tools`` tool definitions, both as JSON objects;
    ``subagent`` is a :class:`Subagent` or a label, ``None`` for the main agent.
    """

    model: str
    instructions: str
    items: Sequence[Item]
    tools: Sequence[object] = ()
    conversation_id: str | None = None
    subagent: str | None = None
    output_schema: object | None = None


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """The JSON body of a request, and the headers that the chat wire adds."""

    body: dict[str, object]
    headers: Headers


def assemble(prompt: ChatPrompt) -> ChatRequest:
    """The request for ``prompt`` (§4.1, §4.2, §4.3).

    ``CannotExpress`` where the chat wire has no words for it (§3.3).
    """
    if prompt.output_schema is not None:
        raise CannotExpress(OUTPUT_SCHEMA_REFUSED)
    body: dict[str, object] = {
        "model": prompt.model,
        "messages": chat_messages(prompt.instructions, prompt.items),
        "stream": True,
        "tools": list(prompt.tools),
    }
    named = {"session_id": prompt.conversation_id, "x-openai-subagent": prompt.subagent}
    headers = tuple((name, str(value)) for name, value in named.items() if value is not None)
    return ChatRequest(body, headers)
