"""Tries as WebSockets, opened and kept as the client of that version does."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from replayer.transports.tries import (
    HowEnded,
    Try,
    carried_headers,
    is_any,
    members,
    naming_headers,
)
from wiretape.client.dialect import Prewarm
from wiretape.facts import EndKind, Piece, PieceKind, ResponseHead, Sender
from wiretape.jsontext import Unparsable, encoded, parse_object
from wiretape.likeness import AND_MORE
from wiretape.recording import Place, WholeExchange
from wiretape.scripts.defaults import UPGRADE, end_with

_WARM: Final = "resp_warm_up"
_GOOD_CLOSE: Final = (1000).to_bytes(2)
_ENDS: Final[Mapping[HowEnded, EndKind]] = {
    HowEnded.CUT: EndKind.SERVER_CLOSED,
    HowEnded.RESET: EndKind.RESET,
    HowEnded.LEFT: EndKind.CLIENT_CLOSED,
}


def sockets(tries: Sequence[Try]) -> Iterator[WholeExchange]:
    """The tries of one session as the WebSockets that its client opens."""
    for number, group in enumerate(_grouped(tries)):
        yield _socket(group, is_first=number == 0)


def _grouped(tries: Iterable[Try]) -> Iterator[list[Try]]:
    """The tries that one socket serves: it goes on as long as everything goes well."""
    group: list[Try] = []
    for each in tries:
        if group and not _serves(group[-1], each):
            yield group
            group = []
        group.append(each)
    if group:
        yield group


def _serves(last: Try, each: Try) -> bool:
    """Whether the socket of ``last`` serves ``each``, too."""
    is_free = last.is_completed and last.ended is HowEnded.WELL and each.asked_us >= last.ended_us
    keeps = each.dialect is None or each.dialect.keeps_socket
    return is_free and (keeps or not each.begins_turn)


def _socket(tries: Sequence[Try], *, is_first: bool) -> WholeExchange:
    first, last = tries[0], tries[-1]
    number = first.exchange.id
    pieces: list[Piece] = []
    origins: list[Place | None] = [None]
    asks_first = first.dialect is not None and first.dialect.prewarm is Prewarm.ASK
    if is_first and asks_first:
        pieces += _warm_up(number, first.asked_us)
        origins.append(None)
    for each in tries:
        pieces += _pieces(number, each)
        origins.append(each.origin)
    how = _ENDS.get(last.ended)
    if last.ended is HowEnded.WELL and not last.is_completed and not _says_the_end(last):
        pieces.append(Piece(number, last.ended_us, Sender.SERVER, PieceKind.CLOSE, _GOOD_CLOSE))
        how = EndKind.WEBSOCKET_CLOSED
    elif last.ended is HowEnded.WELL:
        how = EndKind.CLIENT_CLOSED
    request = first.exchange.request
    return WholeExchange(
        replace(
            request,
            at_us=first.asked_us,
            method="GET",
            headers=(*UPGRADE, *naming_headers(request.headers)),
        ),
        None,
        ResponseHead(
            number,
            first.asked_us,
            101,
            "Switching Protocols",
            "HTTP/1.1",
            carried_headers(first.headers) if first.refusal is None else (),
        ),
        tuple(pieces),
        None if how is None else end_with(number, last.ended_us, how, _GOOD_CLOSE),
        origins=tuple(origins),
    )


def _pieces(number: int, each: Try) -> Iterator[Piece]:
    assert each.asked is not None
    message = b""
    if not is_any(each.asked):
        message = encoded({"type": "response.create", **each.asked.body})
    yield Piece(number, each.asked_us, Sender.CLIENT, PieceKind.TEXT, message)
    if each.refusal is not None:
        yield _said(number, each.head_us, encoded(_error(each)))
    for said in each.said:
        # Over HTTP an error event means nothing to clients; on a WebSocket it is the end.
        if members(said.text).get("type") != "error":
            yield _said(number, said.at_us, said.text.encode())


def _said(number: int, at_us: int, data: bytes) -> Piece:
    return Piece(number, at_us, Sender.SERVER, PieceKind.TEXT, data)


def _error(each: Try) -> dict[str, Any]:
    """The status of a refusal, as an event says it."""
    assert each.refusal is not None
    text = each.refusal.body.decode("utf-8", "replace")
    body = parse_object(text)
    error: object = {"message": text}
    if not isinstance(body, Unparsable) and isinstance(body.get("error"), dict):
        error = body["error"]
    event: dict[str, Any] = {"type": "error", "status": each.refusal.status, "error": error}
    headers = dict(carried_headers(each.headers))
    return {**event, "headers": headers} if headers else event


def _says_the_end(each: Try) -> bool:
    """Whether the client leaves by itself: what it was told is an end, though not a good one."""
    return each.refusal is not None or any(
        members(said.text).get("type") in ("response.failed", "response.incomplete")
        for said in each.said
    )


def _warm_up(number: int, at_us: int) -> Iterator[Piece]:
    """What such a client asks on its first socket, whatever it says, and the usual answer."""
    asked = json.dumps({"type": "response.create", "generate": False, AND_MORE: ""})
    yield Piece(number, at_us, Sender.CLIENT, PieceKind.TEXT, asked.encode())
    for kind in ("response.created", "response.completed"):
        yield _said(number, at_us, encoded({"type": kind, "response": {"id": _WARM}}))
