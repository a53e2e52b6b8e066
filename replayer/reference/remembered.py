"""What a recording remembers of its user: the prompts, and what tools gave.

A request that says everything is a prompt as it stands; one that says only what is new goes on
from what was said before. An item of an answer is repeated in the words in which the recorded
client repeated it: how it writes them is no rule of the documents, but what they say is.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, override

from replayer.reference.acts import ActKind
from replayer.reference.conversation import (
    NOT_RECORDED,
    call_id,
    is_output,
    output_item,
)
from replayer.reference.recorded import RecordedSession, recorded_sessions
from replayer.reference.user import Identity, Prompt, User
from wiretape.asked import Asked
from wiretape.client.dialect import Dialect
from wiretape.client.events import Item
from wiretape.client.repeating import is_said_by_model, sent_back
from wiretape.client.requests import Request
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject
from wiretape.redact import is_secret_header
from wiretape.store_reader import TapeReader

_NOT_REPEATED: Final = frozenset(
    {"type", "input", "previous_response_id", "generate", "client_metadata"}
)
"""Members of a recorded body that belong to that one request."""

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
    """What the requests of a session said: the part of a ``User`` that a recording can play."""

    def __init__(self, requests: Iterable[Asked]) -> None:
        self.outputs: dict[object, Item] = {}
        self._spelled: dict[str, Item] = {}
        for item in (item for asked in requests for item in asked.input_items):
            if not isinstance(item, dict):
                continue
            if is_output(item):
                self.outputs.setdefault(item.get("call_id"), item)
            else:
                self._spelled.setdefault(saying(item), item)

    def sent_back(self, item: Item) -> Item | None:
        """An item of an answer as the recorded client repeated it."""
        spelled = self._spelled.get(saying(item))
        # Of other kinds only the recording knows whether the client repeats them.
        return sent_back(item) if spelled is None and is_said_by_model(item) else spelled

    def output_of(self, call: Item) -> Item:
        """What a tool gave when it was called so."""
        return self.outputs.get(call_id(call)) or output_item(call, NOT_RECORDED)


class Prompts(Memory, User):
    """A user who asks these things, one after the other."""

    def __init__(self, prompts: Iterable[Prompt], requests: Iterable[Asked]) -> None:
        super().__init__(requests)
        self._prompts = iter(prompts)

    @override
    def next_prompt(self, said: Sequence[Item]) -> Prompt | None:
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


def own_headers(headers: Headers) -> Headers:
    """What a recorded client said of itself: no header of the connection, of the turn, or one
    that was removed from the tape."""
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in _OF_THE_CONNECTION
        and not name.lower().startswith("sec-websocket-")
        and not is_secret_header(name)
    )


def recorded_identity(session: RecordedSession, dialect: Dialect) -> Identity:
    """What the client of a session said of itself, beside the names of the conversation."""
    of_the_session = {*dialect.session_headers, "openai-beta"}

    def said(kind: ActKind) -> Headers:
        act = next((act for act in session.acts if act.kind is kind), None)
        headers = () if act is None else own_headers(act.exchange.request.headers)
        return tuple(pair for pair in headers if pair[0].lower() not in of_the_session)

    return Identity(upgrade=said(ActKind.UPGRADE), post=said(ActKind.POST))


def recorded_outputs(reader: TapeReader) -> Mapping[object, Item]:
    """What tools gave on a whole tape, by call id."""
    requests = (act.asked for each in recorded_sessions(reader) for act in each.acts)
    return Memory(requests).outputs
