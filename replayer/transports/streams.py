"""Tries as HTTP exchanges: a POST each, answered with an event stream or a status."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from replayer.faults.answer import block
from replayer.transports.offers import refused_upgrades
from replayer.transports.tries import HowEnded, Try, carried_headers, naming_headers
from wiretape.attempt import Transport
from wiretape.events import event_type
from wiretape.facts import End, EndKind, Piece, PieceKind, RequestBody, ResponseHead, Sender
from wiretape.recording import WholeExchange
from wiretape.scripts.defaults import SIDES

_STREAM: Final = (("content-type", "text/event-stream"),)
_JSON: Final = (("content-type", "application/json"),)
_ENDS: Final[Mapping[HowEnded, EndKind]] = {
    HowEnded.WELL: EndKind.COMPLETE,
    HowEnded.CUT: EndKind.SERVER_CLOSED,
    HowEnded.RESET: EndKind.RESET,
    HowEnded.LEFT: EndKind.CLIENT_CLOSED,
}


def posts(tries: Sequence[Try], kept: Iterable[Try]) -> Iterator[WholeExchange]:
    """What is ``kept`` of the tries of one session, as exchanges over HTTP.

    A client that is run as it was recorded asks for WebSockets first, and is sent on to HTTP.
    """
    sockets = {
        each.exchange.id: each.exchange for each in tries if each.transport is Transport.WEBSOCKET
    }
    for exchange in sockets.values():
        yield from refused_upgrades(exchange)
    yield from map(_post, kept)


def _post(each: Try) -> WholeExchange:
    """The try as an exchange over HTTP, by the number of the exchange that it was part of.

    A socket that says nothing after a request becomes a stream that says nothing: clients take
    the one as they take the other.
    """
    assert each.asked is not None
    number = each.exchange.id
    request = replace(
        each.exchange.request,
        at_us=each.asked_us,
        method="POST",
        headers=naming_headers(each.exchange.request.headers),
    )
    status, reason = (200, "OK")
    kind = _STREAM
    pieces = tuple(
        Piece(
            number,
            said.at_us,
            Sender.SERVER,
            PieceKind.CHUNK,
            block(event_type(said.text), said.text),
        )
        for said in each.said
    )
    if each.refusal is not None:
        status, reason, kind = each.refusal.status, each.refusal.reason, _JSON
        pieces = (Piece(number, each.head_us, Sender.SERVER, PieceKind.CHUNK, each.refusal.body),)
    head = ResponseHead(
        number, each.head_us, status, reason, "HTTP/1.1", (*kind, *carried_headers(each.headers))
    )
    how = EndKind.COMPLETE if each.refusal is not None else _ENDS.get(each.ended)
    return WholeExchange(
        request,
        RequestBody(number, each.asked_us, each.asked.raw),
        head,
        pieces,
        None if how is None else End(number, each.ended_us, how, SIDES[how]),
        origins=(each.origin,),
    )
