"""What a client asked in an exchange, and what it would have said without a socket that knows.

Clients leave out what the socket has heard before. On another socket, or over HTTP, the same
request says all of it. Pure.
"""

from collections.abc import Iterable

from replayer.answers import is_request
from replayer.reference.remembered import refers_to_what_was_said
from replayer.transports.talk import Talk, encoded
from wiretape.asked import Asked, RequestKind, asked_by_message, asked_over_http
from wiretape.errors import CannotExpress
from wiretape.facts import PieceKind, Sender
from wiretape.recording import WholeExchange
from wiretape.scope import purpose_of


def whole_messages(exchange: WholeExchange) -> tuple[bytes, ...]:
    """The client's messages on a socket, each with everything said that it builds on. One that
    builds on nothing, or on something else, stays as it is."""
    found: list[bytes] = []
    talk = Talk()
    for piece in exchange.pieces:
        if is_request(piece):
            found.append(_whole(exchange, piece.data, talk))
        elif piece.sender is Sender.SERVER and piece.kind is PieceKind.TEXT:
            talk.answered([piece.data.decode("utf-8", "replace")])
    return tuple(found)


def _whole(exchange: WholeExchange, message: bytes, talk: Talk) -> bytes:
    asked = asked_by_message(exchange.request.headers, message)
    if asked.kind is RequestKind.OTHER:
        return message
    try:
        whole = talk.asked(asked, f"exchange {exchange.id}")
    except CannotExpress:
        return message
    if not refers_to_what_was_said(asked):
        return message
    return encoded({"type": "response.create", **whole.body})


def asked_in(exchange: WholeExchange) -> Iterable[Asked]:
    """What the client asked: one thing over HTTP, message by message on a socket."""
    request = exchange.request
    if exchange.is_websocket:
        for piece in exchange.pieces:
            if is_request(piece) and piece.kind is PieceKind.TEXT:
                yield asked_by_message(request.headers, piece.data)
    elif exchange.body is not None:
        purpose = purpose_of(request.method, request.target, is_upgrade=request.is_upgrade)
        yield asked_over_http(purpose, request.headers, exchange.body.data)
