"""What the client asks: the request's body, its headers, and what a WebSocket leaves out.

Source: document 002 §2 and §4.4. How later clients leave out what was said before is their
dialect's. Items are JSON objects of the conversation, as the wire spells them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from wiretape.client.config import Provider
from wiretape.client.dialect import Dialect, Incremental
from wiretape.client.events import Item
from wiretape.facts import Headers
from wiretape.jsontext import JsonObject

OUTPUT_SCHEMA_NAME = "codex_output_schema"
ENCRYPTED_REASONING = "reasoning.encrypted_content"


class Compression(StrEnum):
    """How the body of a POST is encoded."""

    NONE = "none"
    ZSTD = "zstd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing asked of the model. ``reasoning`` is there if the model summarizes its own."""

    model: str
    instructions: str
    input: Sequence[Item]
    conversation_id: str
    tools: Sequence[JsonObject] = ()
    parallel_tool_calls: bool = False
    reasoning: JsonObject | None = None
    verbosity: str | None = None
    output_schema: JsonObject | None = None
    store: bool = False

    def body(self) -> JsonObject:
        """The JSON of the POST (§2.1, §2.3); over WebSocket a ``type`` comes with it."""
        body: JsonObject = {
            "model": self.model,
            "instructions": self.instructions,
            "input": list(self.input),
            "tools": list(self.tools),
            "tool_choice": "auto",
            "parallel_tool_calls": self.parallel_tool_calls,
            "reasoning": self.reasoning,
            "store": self.store,
            "stream": True,
            "include": [] if self.reasoning is None else [ENCRYPTED_REASONING],
            "prompt_cache_key": self.conversation_id,
        }
        text = text_controls(self.verbosity, self.output_schema)
        return body if text is None else {**body, "text": text}


def text_controls(verbosity: str | None, output_schema: JsonObject | None) -> JsonObject | None:
    """The ``text`` field (§2.2), ``None`` where neither of its parts is asked for."""
    text: JsonObject = {}
    if verbosity is not None:
        text["verbosity"] = verbosity
    if output_schema is not None:
        text["format"] = {
            "type": "json_schema",
            "strict": True,
            "schema": output_schema,
            "name": OUTPUT_SCHEMA_NAME,
        }
    return text or None


def session_headers(
    conversation_id: str, turn_state: str | None, dialect: Dialect, *, is_upgrade: bool
) -> Headers:
    """The headers that name the conversation (§2.1) and the turn (§4.1)."""
    headers = [(name, conversation_id) for name in dialect.session_headers]
    if turn_state is not None:
        headers.append(("x-codex-turn-state", turn_state))
    if is_upgrade:
        headers.append(("openai-beta", dialect.beta))
    return tuple(headers)


def compression(provider: Provider, *, is_feature_on: bool, is_chatgpt_login: bool) -> Compression:
    """zstd if the feature is on, the login is ChatGPT's and the provider OpenAI (§2.4)."""
    is_wanted = is_feature_on and is_chatgpt_login and provider.is_openai
    return Compression.ZSTD if is_wanted else Compression.NONE


class SocketRequests:
    """The messages that ask on one WebSocket, each leaving out what the one before said.

    A new socket needs a new one of these.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._last: JsonObject | None = None
        self._answer: tuple[Item, ...] = ()
        self._response_id = ""
        self._ended_with_done = False

    def ask(self, request: Request) -> JsonObject:
        """The message for this request (§4.4), which from now on counts as said."""
        body = request.body()
        message = self._increment(body) or {"type": "response.create", **body}
        self._last, self._answer, self._response_id = body, (), ""
        self._ended_with_done = False
        return message

    def warm_up(self, request: Request) -> JsonObject:
        """The message that prepares the server and wants no answer."""
        return {**self.ask(request), "generate": False}

    def completed(
        self, response_id: str, answer: Sequence[Item], *, ended_with_done: bool = False
    ) -> None:
        """The request last asked was answered with these items."""
        self._response_id, self._answer = response_id, tuple(answer)
        self._ended_with_done = ended_with_done

    def _increment(self, body: JsonObject) -> JsonObject | None:
        """The message with the new items alone, ``None`` where everything must be said."""
        if self._last is None:
            return None
        match self._dialect.incremental:
            case Incremental.APPEND:
                # The documented client looks at the input and at nothing else.
                added = _added(self._last["input"], body["input"])
                return {"type": "response.append", "input": added} if added else None
            case _ if not _differs_in_input_only(self._last, body):
                return None
            case Incremental.APPEND_AFTER_DONE:
                added = _added([*self._last["input"], *self._answer], body["input"])
                is_possible = added and self._ended_with_done
                return {"type": "response.append", "input": added} if is_possible else None
            case Incremental.PREVIOUS_RESPONSE:
                added = _added([*self._last["input"], *self._answer], body["input"])
                if added is None or not self._response_id:
                    return None
                link = {"previous_response_id": self._response_id, "input": added}
                return {"type": "response.create", **body, **link}


def _added(said: Sequence[Item], wanted: Sequence[Item]) -> list[Item] | None:
    """What ``wanted`` has after ``said``; ``None`` where it does not begin with it."""
    is_prefix = list(wanted[: len(said)]) == list(said)
    return list(wanted[len(said) :]) if is_prefix else None


def _differs_in_input_only(one: JsonObject, other: JsonObject) -> bool:
    # The server keeps the rest from the request before: a new model or tool must be said.
    return {**one, "input": None} == {**other, "input": None}
