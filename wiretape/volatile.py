"""What differs between two runs of the same client without meaning anything. Data.

Ids are no rule here: they must correspond one to one (see ``likeness``), not merely be ids.
"""

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TextRule:
    """Text that is put in place of whatever ``pattern`` matches, before texts are compared."""

    name: str
    pattern: re.Pattern[str]
    stand_in: str


TEXT_RULES: Final = (
    TextRule("wall time", re.compile(r"\bWall time: [0-9.]+ seconds"), "Wall time: … seconds"),
    TextRule(
        "wall time of a script",
        re.compile(r"\bWall time [0-9.]+ seconds"),
        "Wall time … seconds",
    ),
    TextRule("duration", re.compile(r'"duration_seconds":\s*[0-9.]+'), '"duration_seconds":…'),
    TextRule("chunk id", re.compile(r"\bChunk ID: [0-9a-f]+"), "Chunk ID: …"),
    TextRule(
        "current date",
        re.compile(r"<current_date>[^<]*</current_date>"),
        "<current_date>…</current_date>",
    ),
)

VOLATILE_PATHS: Final = frozenset({"client_metadata", "prompt_cache_key"})
"""Members of a request's body that name the session, the turn and the machine."""

VOLATILE_KEYS: Final = frozenset({"internal_chat_message_metadata_passthrough"})
"""Members, wherever they stand, in which a client notes its turn and the time."""

VOLATILE_HEADERS: Final = frozenset(
    {
        "connection",
        "content-length",
        "conversation_id",
        "host",
        "proxy-connection",
        "sec-websocket-key",
        "session-id",
        "session_id",
        "thread-id",
        "traceparent",
        "tracestate",
        "user-agent",
        "version",
        "x-client-request-id",
        "x-codex-installation-id",
        "x-codex-parent-thread-id",
        "x-codex-turn-metadata",
        "x-codex-window-id",
        "x-stainless-arch",
        "x-stainless-async",
        "x-stainless-lang",
        "x-stainless-os",
        "x-stainless-package-version",
        "x-stainless-runtime",
        "x-stainless-runtime-version",
    }
)
"""Headers that name the session, the turn, the connection, and the client with its machine."""

VOLATILE_QUERY: Final = frozenset({"client_version"})
"""Parameters of a request's query that name the client."""
