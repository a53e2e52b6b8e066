"""The bend that turns chat exchanges into exchanges of the Responses API."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from replayer.bends.bodies import readable
from replayer.bends.telling import TellingBend
from replayer.chats.answers import Translation, response_id, whole_answer
from replayer.chats.asked import expected
from replayer.faults.answer import block, text_of
from replayer.transports.offers import without_sockets_for
from replayer.transports.tries import naming_headers
from wiretape.asked import asked_in
from wiretape.chat.aggregate import AggregateMode
from wiretape.chat.items import Skipped
from wiretape.chat.response import read_response
from wiretape.content import decode
from wiretape.events import event_type
from wiretape.facts import EndKind, Headers, Piece, PieceKind, Sender, header
from wiretape.jsontext import encoded
from wiretape.recording import Recording, WholeExchange
from wiretape.scope import Purpose, purpose_of
from wiretape.words import counted

_CHAT_PATH: Final = "/chat/completions"
_OF_THE_BODY: Final = frozenset({"content-type", "content-length", "content-encoding"})
_STREAM: Final = (("content-type", "text/event-stream"),)


def as_responses(mode: AggregateMode | None = None) -> TellingBend:
    """The bend by which what was asked of a chat model is answered to Responses clients.

    ``mode`` gathers the pieces of a text, as the documented client did. Of what is asked, that is
    kept which both wires can say.
    """

    def bend(recording: Recording) -> Recording:
        answering = {
            each.id: _exchange(each, mode) for each in recording.exchanges if _is_chat(each)
        }
        exchanges = tuple(answering.get(each.id, each) for each in recording.exchanges)
        # A client that would rather have a WebSocket is sent on to HTTP.
        return without_sockets_for(replace(recording, exchanges=exchanges), answering.values())

    return TellingBend(bend, _sentences)


def _sentences(recording: Recording) -> Iterator[str]:
    if chats := sum(map(_is_chat, recording.exchanges)):
        yield (
            f"{counted(chats, 'chat request')} answered as responses: compared are the user's "
            "last words and what was said and done since, not instructions, context, tools and "
            "settings"
        )
    else:
        yield "nothing was asked of a chat model, so all is answered as it was recorded"


def _is_chat(exchange: WholeExchange) -> bool:
    request = exchange.request
    return purpose_of(request.method, request.target, is_upgrade=False) is Purpose.CHAT


def _exchange(exchange: WholeExchange, mode: AggregateMode | None) -> WholeExchange:
    path, mark, query = exchange.request.target.partition("?")
    asked = replace(
        exchange,
        request=replace(
            exchange.request,
            target=path.rstrip("/").removesuffix(_CHAT_PATH) + "/responses" + mark + query,
            headers=naming_headers(exchange.request.headers),
        ),
        body=exchange.body and replace(exchange.body, data=_body(exchange, exchange.body.data)),
    )
    head = exchange.response
    if head is None or head.status != 200:
        return asked
    if (header(head.headers, "content-type") or "").startswith("application/json"):
        pieces = _whole(exchange, mode)
    else:
        pieces = _streamed(exchange, mode)
    return replace(
        asked,
        response=replace(head, headers=_streaming(head.headers)),
        pieces=tuple(pieces),
    )


def _body(exchange: WholeExchange, data: bytes) -> bytes:
    asked = asked_in(exchange.request, data)
    return encoded(expected(asked)) if isinstance(asked.body, dict) else b""


def _streamed(exchange: WholeExchange, mode: AggregateMode | None) -> Iterator[Piece]:
    plain = readable(exchange).pieces
    first = next((text for piece in plain if (text := text_of(piece))), "")
    translation = Translation(response_id(first) or f"chat-{exchange.id}", mode)
    for piece in plain:
        text = text_of(piece)
        if text is not None:
            yield from _pieces(piece, translation.feed(text))
    if exchange.end is not None and exchange.end.how is EndKind.COMPLETE:
        end = Piece(exchange.id, exchange.until_us, Sender.SERVER, PieceKind.CHUNK, b"")
        yield from _pieces(end, translation.close())


def _whole(exchange: WholeExchange, mode: AggregateMode | None) -> Iterator[Piece]:
    assert exchange.response is not None
    data = b"".join(piece.data for piece in exchange.pieces)
    text, _ = decode(data, header(exchange.response.headers, "content-encoding"))
    answer = read_response(text.decode("utf-8", "replace"))
    if isinstance(answer, Skipped) or not exchange.pieces:
        return
    name = answer.response_id or f"chat-{exchange.id}"
    yield from _pieces(exchange.pieces[-1], whole_answer(name, answer, mode))


def _pieces(like: Piece, texts: list[str]) -> Iterator[Piece]:
    return (replace(like, data=block(event_type(text), text)) for text in texts)


def _streaming(headers: Headers) -> Headers:
    kept = tuple(pair for pair in headers if pair[0].lower() not in _OF_THE_BODY)
    return (*_STREAM, *kept)
