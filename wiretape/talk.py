"""What a message on a WebSocket means, with all that it leaves out.

Clients leave out what was said on the socket before: a ``response.append`` says only what is new,
and so does a ``response.create`` that goes on from a response. Over HTTP the same request says
all of it.
"""

from collections.abc import Iterable
from typing import Any, Final

from wiretape.asked import Asked, RequestKind
from wiretape.client.items import is_readable
from wiretape.client.repeating import sent_back
from wiretape.inputs import Maker, maker_of
from wiretape.jsontext import JsonObject, Unparsable, object_at, parse_object, string_at
from wiretape.likeness import AND_MORE

_OF_THE_MESSAGE: Final = frozenset({"type", "generate", "previous_response_id"})


class Talk:
    """What was said on one socket so far."""

    def __init__(self) -> None:
        self._last: JsonObject | None = None
        self._answer: list[Any] = []
        self._after: dict[str, list[Any]] = {}

    def whole(self, asked: Asked) -> JsonObject | None:
        """The body of the request that says all of what this message means, as over HTTP.

        What the message leaves out of an answer stands there as the server said it, with the
        member ``AND_MORE``: clients add members of their own. ``None`` where the message is no
        request, or goes on from something that was not said on this socket.
        """
        if asked.kind is RequestKind.OTHER and asked.body is not None:
            return None
        # What cannot be read may be a request: what goes on from it is not known either.
        self._last, self._answer = self._meant(asked), []
        return self._last

    def answered(self, events: Iterable[str]) -> None:
        """The request last asked was answered with these events."""
        for text in events:
            event = parse_object(text)
            if isinstance(event, Unparsable):
                continue
            match event.get("type"):
                case "response.output_item.done" if is_readable(event.get("item")):
                    self._answer.append(_repeated(sent_back(event["item"])))
                case "response.completed" | "response.done" if self._last is not None:
                    if response := string_at(object_at(event, "response"), "id"):
                        self._after[response] = [*_input_of(self._last), *self._answer]

    def _meant(self, asked: Asked) -> JsonObject | None:
        if asked.body is None:
            return None
        new = asked.input_items
        said = {name: value for name, value in asked.body.items() if name not in _OF_THE_MESSAGE}
        if asked.kind is RequestKind.APPEND:
            if self._last is None:
                return None
            return {**self._last, **said, "input": [*self._before_append(self._last, new), *new]}
        if before := string_at(asked.body, "previous_response_id"):
            if before not in self._after:
                return None
            said["input"] = [*self._after[before], *new]
        return said

    def _before_append(self, last: JsonObject, new: list[Any]) -> list[Any]:
        """What a ``response.append`` leaves out. Some clients repeat the answer, others do not."""
        repeats = bool(new) and maker_of(new[0]) is Maker.MODEL
        return _input_of(last) if repeats else [*_input_of(last), *self._answer]


def _input_of(body: JsonObject) -> list[Any]:
    items = body.get("input", [])
    return items if isinstance(items, list) else [items]


def _repeated(value: Any) -> Any:
    """An item of an answer as a client repeats it: what it says, and whatever the client adds."""
    match value:
        case dict():
            return {**{name: _repeated(each) for name, each in value.items()}, AND_MORE: ""}
        case list():
            return [_repeated(each) for each in value]
    return value
