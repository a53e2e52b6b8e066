"""Reads the tries of a recording, whatever carried them, each with its whole input."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from replayer.answers import is_request
from replayer.transports.tries import LAST_EVENTS, HowEnded, Refusal, Said, Try, is_any, members
from wiretape.asked import Asked, RequestKind, asked_by_message, asked_by_upgrade, asked_over_http
from wiretape.attempt import Transport
from wiretape.content import ContentDecoder
from wiretape.errors import CannotExpress
from wiretape.events import event_type
from wiretape.facts import EndKind, Headers, Piece, PieceKind, Sender, all_headers
from wiretape.jsontext import encoded, string_at
from wiretape.recording import Recording, WholeExchange
from wiretape.scope import Purpose, purpose_of
from wiretape.scripts.defaults import reason_of
from wiretape.sse import SseDecoder
from wiretape.talk import Talk

_GOOD_CLOSE: Final = 1000
_ENDS: Final[Mapping[EndKind, HowEnded]] = {
    EndKind.COMPLETE: HowEnded.WELL,
    EndKind.SERVER_CLOSED: HowEnded.CUT,
    EndKind.REFUSED: HowEnded.CUT,
    EndKind.TLS_FAILURE: HowEnded.CUT,
    EndKind.PROTOCOL_ERROR: HowEnded.CUT,
    EndKind.WEBSOCKET_CLOSED: HowEnded.CUT,
    EndKind.RESET: HowEnded.RESET,
}


def tries_of(recording: Recording) -> Iterator[Try]:
    """Every try at a request for a response, by time. Warm-ups ask for nothing, and are none.

    Raises:
        CannotExpress: what was asked, or answered, is nothing that both transports know.
    """
    found: list[Try] = []
    for exchange in recording.exchanges:
        if is_for_a_response(exchange):
            read = _on_socket if exchange.request.is_upgrade else _over_http
            found += read(exchange)
    return iter(sorted(found, key=lambda each: each.asked_us))


def is_for_a_response(exchange: WholeExchange) -> bool:
    """Whether a response was asked for, over whichever transport."""
    request = exchange.request
    purpose = purpose_of(request.method, request.target, is_upgrade=request.is_upgrade)
    return purpose is Purpose.RESPONSES


def _over_http(exchange: WholeExchange) -> Iterator[Try]:
    body = exchange.body
    asked = asked_over_http(
        Purpose.RESPONSES, exchange.request.headers, b"" if body is None else body.data
    )
    if not (isinstance(asked.body, dict) or is_any(asked)):
        raise CannotExpress(
            f"exchange {exchange.id} does not ask with a JSON object, so it cannot be asked over "
            "another transport: replay it as it was recorded."
        )
    asked_us = exchange.request.at_us if body is None else body.at_us
    head = exchange.response
    refusal = None
    if head is not None and head.status != 200:
        refusal = Refusal(head.status, head.reason, b"".join(text for _, text in _body(exchange)))
    said = () if head is None or refusal is not None else tuple(_events(exchange))
    yield Try(
        exchange,
        None,
        Transport.HTTP,
        asked.session,
        asked,
        asked_us,
        asked_us if head is None else head.at_us,
        () if head is None else head.headers,
        refusal,
        said,
        _ended(exchange, said),
        exchange.until_us,
    )


def _body(exchange: WholeExchange) -> Iterator[tuple[int, bytes]]:
    """The answer's body as it arrived, its coding removed."""
    assert exchange.response is not None
    coding = ", ".join(all_headers(exchange.response.headers, "content-encoding")) or None
    content = ContentDecoder(coding)
    for piece in exchange.pieces:
        yield piece.at_us, content.feed(piece.data)


def _events(exchange: WholeExchange) -> Iterator[Said]:
    decoder = SseDecoder()
    for at_us, data in _body(exchange):
        yield from (Said(at_us, event.data) for event in decoder.feed(data))
    yield from (Said(exchange.until_us, event.data) for event in decoder.close()[0])


def _ended(exchange: WholeExchange, said: Sequence[Said]) -> HowEnded:
    """How the last answer of an exchange ended.

    A client that had heard all of it may leave as it likes; and what becomes of a socket after
    that is no part of the answer, while a body still has to end.
    """
    end = exchange.end
    is_over = bool(said) and event_type(said[-1].text) in LAST_EVENTS
    is_left = end is None or end.side is Sender.CLIENT or end.how is EndKind.RECORDER_STOPPED
    if is_over and (is_left or exchange.is_websocket):
        return HowEnded.WELL
    if end is None or end.how is EndKind.RECORDER_STOPPED:
        return HowEnded.UNKNOWN
    if is_left:
        return HowEnded.LEFT
    if end.how is EndKind.WEBSOCKET_CLOSED and end.code == _GOOD_CLOSE:
        return HowEnded.WELL
    return _ENDS[end.how]


def _on_socket(exchange: WholeExchange) -> Iterator[Try]:
    head = exchange.response
    if head is None or not exchange.is_websocket:
        yield _refused(exchange)
        return
    talk = Talk()
    for number, (is_last, pieces) in enumerate(_rounds(exchange.pieces)):
        request, *answer = pieces
        place = f"exchange {exchange.id}, message {number}"
        asked = asked_by_message(exchange.request.headers, request.data)
        whole = _whole(talk, asked, place)
        said = tuple(_messages(answer, place))
        talk.answered(each.text for each in said)
        if asked.kind is not RequestKind.WARM_UP:
            refusal = _wrapped(said)
            yield Try(
                exchange,
                number,
                Transport.WEBSOCKET,
                asked.session,
                whole,
                request.at_us,
                said[0].at_us if said else request.at_us,
                head.headers if refusal is None else refusal[1],
                None if refusal is None else refusal[0],
                said if refusal is None else (),
                _ended(exchange, said) if is_last else HowEnded.WELL,
                exchange.until_us if is_last else answer[-1].at_us if answer else request.at_us,
            )


def _whole(talk: Talk, asked: Asked, place: str) -> Asked:
    """A message as the request that says everything."""
    body = talk.whole(asked)
    if is_any(asked):
        return replace(asked, kind=RequestKind.CREATE)
    if not isinstance(asked.body, dict) or asked.kind is RequestKind.OTHER:
        raise CannotExpress(
            f"{place} is no request, so it cannot be asked over another transport: replay it as "
            "it was recorded."
        )
    if body is None:
        before = string_at(asked.body, "previous_response_id") or "what came before"
        raise CannotExpress(
            f"{place} goes on from {before}, which was not said on its socket, so over another "
            "transport it would not say everything: replay it as it was recorded."
        )
    return replace(asked, kind=RequestKind.CREATE, body=body, raw=encoded(body))


def _rounds(pieces: Iterable[Piece]) -> Iterator[tuple[bool, list[Piece]]]:
    """A request and what came after it, up to the next one; and whether it is the last."""
    found: list[list[Piece]] = []
    for piece in pieces:
        if is_request(piece):
            found.append([piece])
        elif found:
            found[-1].append(piece)
    return ((each is found[-1], each) for each in found)


def _messages(pieces: Iterable[Piece], place: str) -> Iterator[Said]:
    """The events among what crossed; signs of life say nothing."""
    for piece in pieces:
        match piece.sender, piece.kind:
            case Sender.SERVER, PieceKind.TEXT:
                yield Said(piece.at_us, piece.data.decode("utf-8", "replace"))
            case Sender.SERVER, PieceKind.BINARY | PieceKind.UNDECODED:
                raise CannotExpress(
                    f"{place} was answered with what is no event ({piece.kind}), which an event "
                    "stream cannot say: replay it as it was recorded."
                )


def _wrapped(said: Sequence[Said]) -> tuple[Refusal, Headers] | None:
    """The status that an ``error`` event carries in the place of an answer, and its headers."""
    for each in said:
        event = members(each.text)
        status = event.get("status", event.get("status_code"))
        if event.get("type") == "error" and isinstance(status, int):
            error, headers = event.get("error"), event.get("headers")
            named = headers.items() if isinstance(headers, dict) else ()
            body = b"" if error is None else encoded({"error": error})
            return Refusal(status, reason_of(status), body), tuple(
                (name, str(value)) for name, value in named
            )
    return None


def _refused(exchange: WholeExchange) -> Try:
    """An upgrade that came to nothing."""
    request, head = exchange.request, exchange.response
    body = b"" if head is None else b"".join(data for _, data in _body(exchange))
    return Try(
        exchange,
        None,
        Transport.WEBSOCKET,
        asked_by_upgrade(request.headers).session,
        None,
        request.at_us,
        request.at_us if head is None else head.at_us,
        () if head is None else head.headers,
        None if head is None else Refusal(head.status, head.reason, body),
        (),
        _ended(exchange, ()),
        exchange.until_us,
    )
