"""What a message on a WebSocket would say if it had to say everything. Pure.

Clients leave out what the socket has heard before: ``response.append`` says only what is new, and
so does a ``response.create`` that goes on from a response. On another socket, or over HTTP, the
same request says all of it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Final

from replayer.answers import is_request
from replayer.reference.conversation import is_output
from replayer.reference.remembered import Memory
from wiretape.asked import Asked, asked_by_message, asked_over_http
from wiretape.client.events import Item
from wiretape.facts import PieceKind, Sender
from wiretape.jsontext import JsonObject, Unparsable, parse_object
from wiretape.recording import Recording, WholeExchange
from wiretape.scope import purpose_of
from wiretape.scripts.defaults import is_upgrade

_ADDS: Final = "response.append"
_GOES_ON: Final = "previous_response_id"
_ITEM_DONE: Final = "response.output_item.done"


def memory_of(recording: Recording) -> Memory:
    """How the recorded clients repeated what they had been told."""
    return Memory(asked for each in recording.exchanges for asked in asked_in(each))


def whole_messages(exchange: WholeExchange, memory: Memory) -> tuple[bytes, ...]:
    """The client's messages on a socket, each with everything said that it builds on. What cannot
    be read stays as it is."""
    found: list[bytes] = []
    asked: JsonObject = {}
    answer: list[Item] = []
    for piece in exchange.pieces:
        said = parse_object(piece.data.decode("utf-8", "replace"))
        if is_request(piece):
            if isinstance(said, Unparsable):
                found.append(piece.data)
                continue
            whole = _whole(said, asked, answer, memory)
            found.append(piece.data if whole == said else _encoded(whole))
            asked, answer = whole, []
        elif piece.sender is Sender.SERVER and not isinstance(said, Unparsable):
            answer += _items(said)
    return tuple(found)


def _whole(said: JsonObject, asked: JsonObject, answer: list[Item], memory: Memory) -> JsonObject:
    """A message with what it leaves out, after ``asked`` was answered with these items."""
    new = said.get("input")
    before = asked.get("input")
    if not isinstance(new, list) or not isinstance(before, list):
        return said
    if said.get("type") == _ADDS:
        return {**asked, "input": [*before, *new]}
    if _GOES_ON not in said:
        return said
    is_naming = any("id" in item for item in (*before, *new) if isinstance(item, dict))
    repeated = [
        sent for item in answer if (sent := _sent_back(item, memory, is_naming)) is not None
    ]
    without = {name: value for name, value in said.items() if name != _GOES_ON}
    return {**without, "input": [*before, *repeated, *new]}


def _sent_back(item: Item, memory: Memory, is_naming: bool) -> Item | None:
    """An item of an answer as the client repeats it: one that gives names to its own items
    (``is_naming``) keeps the server's, and everything else of an item too."""
    sent = memory.sent_back(item)
    if sent is None or "id" in sent or not is_naming:
        return sent
    return {**item, "content": item.get("content")} if item.get("type") == "reasoning" else item


def _items(event: JsonObject) -> Iterator[Item]:
    item = event.get("item")
    if event.get("type") == _ITEM_DONE and isinstance(item, dict) and not is_output(item):
        yield item


def _encoded(message: JsonObject) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


def asked_in(exchange: WholeExchange) -> Iterable[Asked]:
    """What the client asked: one thing over HTTP, message by message on a socket."""
    request = exchange.request
    if exchange.is_websocket:
        for piece in exchange.pieces:
            if is_request(piece) and piece.kind is PieceKind.TEXT:
                yield asked_by_message(request.headers, piece.data)
    elif exchange.body is not None:
        purpose = purpose_of(request.method, request.target, is_upgrade=is_upgrade(request))
        yield asked_over_http(purpose, request.headers, exchange.body.data)
