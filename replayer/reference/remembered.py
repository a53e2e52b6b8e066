"""What a recording remembers of its user: the prompts, and what tools gave.

A request that says everything is a prompt as it stands; one that says only what is new goes on
from what was said before. An item of an answer is repeated in the words in which the recorded
client repeated it: how it writes them is no rule of the documents, but what they say is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from replayer.reference.acts import ActKind
from replayer.reference.conversation import NOT_RECORDED, call_id, output_item, sent_back
from replayer.reference.recorded import RecordedSession, recorded_sessions
from replayer.reference.user import Identity, Prompt
from wiretape.asked import Asked, RequestKind
from wiretape.client.dialect import Dialect
from wiretape.client.events import Item
from wiretape.client.requests import Request
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject
from wiretape.redact import is_secret_header
from wiretape.store_reader import TapeReader

_NOT_REPEATED: Final = frozenset(
    {"type", "input", "previous_response_id", "generate", "client_metadata"}
)
"""Members of a recorded body that belong to that one request."""

_ALWAYS_REPEATED: Final = frozenset(
    {"message", "reasoning", "function_call", "custom_tool_call", "local_shell_call"}
)
"""Items of an answer that a client says back whether or not a recording shows that it does."""

_OF_THE_CONNECTION: Final = frozenset(
    {
        "connection",
        "content-length",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "transfer-encoding",
        "upgrade",
        "x-codex-turn-state",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRequest(Request):
    """A request that asks with a recorded body, but for its input."""

    recorded: JsonObject = field(repr=False)

    def body(self) -> JsonObject:
        return {**self.recorded, "input": list(self.input)}


class Memory:
    """What the requests of a session said: outputs by call id, and how items are repeated."""

    def __init__(self, requests: Iterable[Asked]) -> None:
        self.outputs: dict[object, Item] = {}
        self._spelled: dict[str, Item] = {}
        for item in (item for asked in requests for item in asked.input_items):
            if not isinstance(item, dict):
                continue
            if str(item.get("type")).endswith("_output"):
                self.outputs.setdefault(item.get("call_id"), item)
            else:
                self._spelled.setdefault(saying(item), item)

    def sent_back(self, item: Item) -> Item | None:
        """See ``User``."""
        spelled = self._spelled.get(saying(item))
        if spelled is None and item.get("type") in _ALWAYS_REPEATED:
            return sent_back(item)
        return spelled

    def output_of(self, call: Item) -> Item:
        """See ``User``."""
        return self.outputs.get(call_id(call)) or output_item(call, NOT_RECORDED)


class Prompts:
    """A user who asks these things, one after the other. Satisfies ``User``."""

    def __init__(self, prompts: Iterable[Prompt], memory: Memory) -> None:
        self._prompts = iter(prompts)
        self.sent_back = memory.sent_back
        self.output_of = memory.output_of

    def next_prompt(self, said: Sequence[Item]) -> Prompt | None:  # noqa: ARG002
        return next(self._prompts, None)


def saying(item: Item) -> str:
    """What an item says, the same for each way of writing it."""
    return json.dumps(sent_back(item), sort_keys=True)


def recorded_request(asked: Asked, items: Iterable[Item], conversation: str) -> RecordedRequest:
    """A request that asks as ``asked`` did, with these items for its input."""
    body = asked.body if isinstance(asked.body, dict) else {}
    return RecordedRequest(
        model=asked.model or "",
        instructions="",
        input=tuple(items),
        conversation_id=conversation,
        recorded={key: value for key, value in body.items() if key not in _NOT_REPEATED},
    )


def refers_to_what_was_said(asked: Asked) -> bool:
    """Whether a request says only what is new."""
    has_link = isinstance(asked.body, dict) and "previous_response_id" in asked.body
    return asked.kind is RequestKind.APPEND or has_link


def recorded_identity(session: RecordedSession, dialect: Dialect) -> Identity:
    """What the recorded client said of itself, without what was removed from the tape."""
    own = {*dialect.session_headers, "openai-beta"}

    def said(kind: ActKind) -> Headers:
        act = next((act for act in session.acts if act.kind is kind), None)
        headers = () if act is None else act.exchange.request.headers
        return tuple(
            (name, value)
            for name, value in headers
            if name.lower() not in _OF_THE_CONNECTION | own
            and not name.lower().startswith("sec-websocket-")
            and not is_secret_header(name)
        )

    return Identity(upgrade=said(ActKind.UPGRADE), post=said(ActKind.POST))


def recorded_outputs(reader: TapeReader) -> Mapping[object, Item]:
    """What tools gave on a whole tape, by call id."""
    requests = (act.asked for each in recorded_sessions(reader) for act in each.acts)
    return Memory(requests).outputs
