"""Where a request comes from: which turn, which agent, and what part it plays.

The newer Codex says it in ``x-codex-turn-metadata`` (JSON, in a header, or over WebSocket in the
message's ``client_metadata``), ``x-openai-subagent`` and ``x-codex-parent-thread-id``; the older
one says little, and its compaction shows only in the words that it asks with. Source: the
published clients 0.99.0 and 0.169.0, seen by running them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from wiretape.asked import Asked, RequestKind
from wiretape.facts import Headers, header
from wiretape.jsontext import Unparsable, object_at, parse_object, string_at

COMPACTION_PROMPT: Final = "You are performing a CONTEXT CHECKPOINT COMPACTION."
"""How the client asks for a summary over the ordinary endpoint, unless it is configured."""
SUMMARY_OPENING: Final = "Another language model started to solve this problem and produced a"
"""How the history begins that goes on from such a summary."""


class Role(StrEnum):
    """The part that a request plays."""

    TURN = "turn"
    """It works on what the user wants."""
    WARM_UP = "warm_up"
    COMPACTION = "compaction"
    """It asks for a shorter history."""
    REVIEW = "review"
    SUB_AGENT = "sub_agent"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request comes from, each field as far as the client says it.

    ``agent`` is the client's word for the sub-agent, ``parent`` the thread that started it.
    """

    role: Role
    turn_id: str | None = None
    agent: str | None = None
    parent: str | None = None


def origin_of(asked: Asked, headers: Headers, opening: str) -> Origin:
    """The origin of what was asked.

    ``headers`` are those of the request, or of the handshake before it; ``opening`` is how the
    last message of the client begins.
    """
    said = list(_metadata(asked.body, headers))
    agent = _first(said, "x-openai-subagent", "subagent_kind")
    return Origin(
        role=_role(asked.kind, agent, _first(said, "request_kind"), opening),
        turn_id=_first(said, "turn_id"),
        agent=agent,
        parent=_first(said, "x-codex-parent-thread-id", "parent_thread_id"),
    )


def _role(kind: RequestKind, agent: str | None, request_kind: str | None, opening: str) -> Role:
    if kind is RequestKind.WARM_UP:
        return Role.WARM_UP
    if (
        kind is RequestKind.COMPACT
        or request_kind == "compaction"
        or opening.startswith(COMPACTION_PROMPT)
    ):
        return Role.COMPACTION
    if agent is None:
        return Role.TURN
    return _ROLE_OF_AGENT.get(agent, Role.SUB_AGENT)


_ROLE_OF_AGENT: Final[Mapping[str, Role]] = {"review": Role.REVIEW, "compact": Role.COMPACTION}


def _metadata(body: Any, headers: Headers) -> Iterator[Mapping[str, Any]]:
    """Everything that says where the request comes from, the most particular first.

    A message's own metadata count before those of the handshake, which may be another turn's.
    """
    said_in_body = object_at(body, "client_metadata") if isinstance(body, dict) else {}
    said_in_head = {name: header(headers, name) for name in _HEADERS}
    for said in (said_in_body, said_in_head):
        yield said
        metadata = parse_object(string_at(said, "x-codex-turn-metadata") or "")
        if not isinstance(metadata, Unparsable):
            yield metadata


_HEADERS: Final = ("x-openai-subagent", "x-codex-parent-thread-id", "x-codex-turn-metadata")


def _first(said: list[Mapping[str, Any]], *names: str) -> str | None:
    for each in said:
        for name in names:
            if isinstance(value := each.get(name), str) and value:
                return value
    return None
