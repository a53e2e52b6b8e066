"""What a message on a WebSocket means, with all that it leaves out.

Clients leave out what was said on the socket before: a ``response.append`` says only what is new,
and so does a ``response.create`` that goes on from a response. Over HTTP the same request says
all of it.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from replayer.reference.conversation import sent_back
from wiretape.asked import Asked, RequestKind
from wiretape.client.items import is_readable
from wiretape.errors import CannotExpress
from wiretape.inputs import Maker, maker_of
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.likeness import AND_MORE

_OF_THE_MESSAGE: Final = frozenset({"type", "generate", "previous_response_id"})


class Talk:
    """What was said on one socket so far."""

    def __init__(self) -> None:
        self._last: JsonObject = {}
        self._answer: list[Any] = []
        self._after: dict[str, list[Any]] = {}

    def asked(self, asked: Asked, place: str) -> Asked:
        """The message as a request that says everything, as over HTTP.

        Raises:
            CannotExpress: it goes on from something that was not said on this socket.
        """
        if not isinstance(asked.body, dict):
            raise CannotExpress(
                f"{place} is no JSON object, so it cannot be asked over another transport: replay "
                "it as it was recorded."
            )
        new = asked.body.get("input", [])
        said = {name: value for name, value in asked.body.items() if name not in _OF_THE_MESSAGE}
        if asked.kind is RequestKind.APPEND:
            said = {**self._last, **said, "input": [*self._before_append(new), *new]}
        elif before := string_at(asked.body, "previous_response_id"):
            if before not in self._after:
                raise CannotExpress(
                    f"{place} goes on from {before}, which was not said on its socket, so over "
                    "another transport it would not say everything: replay it as it was recorded."
                )
            said["input"] = [*self._after[before], *new]
        self._last, self._answer = said, []
        return replace(asked, kind=RequestKind.CREATE, body=said, raw=encoded(said))

    def answered(self, events: Iterable[str]) -> None:
        """The request last asked was answered with these events."""
        for text in events:
            event = parse_object(text)
            if isinstance(event, Unparsable):
                continue
            match event.get("type"):
                case "response.output_item.done" if is_readable(event.get("item")):
                    self._answer.append(_repeated(sent_back(event["item"])))
                case "response.completed" | "response.done":
                    response = string_at(object_at(event, "response"), "id")
                    before = self._last.get("input", [])
                    if response and isinstance(before, list):
                        self._after[response] = [*before, *self._answer]

    def _before_append(self, new: list[Any]) -> list[Any]:
        """What a ``response.append`` leaves out. Some clients repeat the answer, others do not."""
        before = self._last.get("input", [])
        repeats = bool(new) and maker_of(new[0]) is Maker.MODEL
        return before if repeats else [*before, *self._answer]


def encoded(body: JsonObject) -> bytes:
    """The JSON of a request."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "backslashreplace"
    )


def _repeated(value: Any) -> Any:
    """An item of an answer as a client repeats it: what it says, and whatever the client adds."""
    match value:
        case dict():
            return {**{name: _repeated(each) for name, each in value.items()}, AND_MORE: ""}
        case list():
            return [_repeated(each) for each in value]
    return value
