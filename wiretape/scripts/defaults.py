"""What a script leaves out, because it goes without saying."""

from http import HTTPStatus
from typing import Final

from wiretape.facts import (
    End,
    EndKind,
    Headers,
    Piece,
    PieceKind,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.frames import close_code_and_reason

SCHEME: Final = "https"
HOST: Final = "api.openai.com"
PORTS: Final = {"http": 80, "https": 443}
HTTP_VERSION: Final = "HTTP/1.1"
MADE_BY: Final = "script"
"""Of a script that does not say what made it: by a person, or with what is said left out."""

WEBSOCKET: Final = "websocket"
"""The method of a request that asks for a WebSocket: a GET with such an upgrade."""

UPGRADE: Final[Headers] = (("upgrade", WEBSOCKET),)

SIDES: Final[dict[EndKind, Sender | None]] = {
    EndKind.COMPLETE: None,
    EndKind.WEBSOCKET_CLOSED: Sender.SERVER,
    EndKind.CLIENT_CLOSED: Sender.CLIENT,
    EndKind.SERVER_CLOSED: Sender.SERVER,
    EndKind.RESET: Sender.SERVER,
    EndKind.REFUSED: None,
    EndKind.TLS_FAILURE: Sender.SERVER,
    EndKind.PROTOCOL_ERROR: Sender.SERVER,
    EndKind.RECORDER_STOPPED: None,
}
"""Whose doing an end is."""


def status_of(request: RequestHead) -> int:
    """How a server answers."""
    return 101 if request.is_upgrade else 200


def reason_of(status: int) -> str:
    """The words beside a status."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def answer_headers(status: int) -> Headers:
    """The headers of an answer: a success is a stream of events."""
    return (("content-type", "text/event-stream"),) if status == 200 else ()


def end_of(response: ResponseHead | None, pieces: tuple[Piece, ...]) -> tuple[EndKind, bytes]:
    """How an exchange ends, and the close frame that says so: a response is complete, a socket is
    left by the client, unless there is a close frame."""
    if response is None or response.status != 101:
        return EndKind.COMPLETE, b""
    for piece in pieces:
        if piece.kind is PieceKind.CLOSE and piece.sender is Sender.SERVER:
            return EndKind.WEBSOCKET_CLOSED, piece.data
    return EndKind.CLIENT_CLOSED, b""


def end_with(exchange: int, at_us: int, how: EndKind, close: bytes) -> End:
    """An end of which no more is said than how it is."""
    if how is not EndKind.WEBSOCKET_CLOSED:
        return End(exchange, at_us, how, SIDES[how])
    code, reason = close_code_and_reason(close)
    return End(exchange, at_us, how, SIDES[how], code, reason)
