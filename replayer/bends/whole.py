"""What a client asked in an exchange, and what it would have said without a socket that knows.

Clients leave out what the socket has heard before. On another socket, or over HTTP, the same
request says all of it. Pure.
"""

from collections.abc import Iterable

from replayer.answers import is_request
from wiretape.asked import Asked, asked_by_message, asked_in
from wiretape.facts import PieceKind, Sender
from wiretape.jsontext import encoded
from wiretape.recording import WholeExchange
from wiretape.talk import Talk


def whole_messages(exchange: WholeExchange) -> tuple[bytes, ...]:
    """The client's messages on a socket, each with everything said that it builds on. One that
    builds on nothing, or on something else, stays as it is."""
    found: list[bytes] = []
    talk = Talk()
    for piece in exchange.pieces:
        if is_request(piece):
            asked = asked_by_message(exchange.request.headers, piece.data)
            whole = talk.whole(asked)
            if whole is not None and asked.says_only_what_is_new:
                found.append(encoded({"type": "response.create", **whole}))
            else:
                found.append(piece.data)
        elif piece.sender is Sender.SERVER and piece.kind is PieceKind.TEXT:
            talk.answered([piece.data.decode("utf-8", "replace")])
    return tuple(found)


def all_asked_in(exchange: WholeExchange) -> Iterable[Asked]:
    """What the client asked: one thing over HTTP, message by message on a socket."""
    if exchange.is_websocket:
        for piece in exchange.pieces:
            if is_request(piece) and piece.kind is PieceKind.TEXT:
                yield asked_by_message(exchange.request.headers, piece.data)
    elif exchange.body is not None:
        yield asked_in(exchange.request, exchange.body.data)
