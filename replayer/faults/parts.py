"""An exchange taken apart into what was asked and what was answered, and put together again. Pure.

Over HTTP there is one part. A WebSocket has one for its handshake, with whatever the server said
before it was asked, and one for each message of the client.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from replayer.answers import is_request
from replayer.faults.answer import Answer, cut_into_events, is_stream, says_the_last_word
from replayer.faults.spec import Fault
from wiretape.facts import End, EndKind, Piece, Sender
from wiretape.recording import WholeExchange


@dataclass(frozen=True, slots=True)
class Part:
    """One thing asked, and its answer. ``message`` is the client's, on a WebSocket; ``faults`` are
    those that were done to the answer."""

    message: Piece | None
    answer: Answer
    faults: tuple[Fault, ...] = ()


def parts_of(exchange: WholeExchange) -> tuple[Part, ...]:
    """The parts of an exchange, in order; the message of number N is part N + 1."""
    if not exchange.is_websocket:
        return (Part(None, _http_answer(exchange)),)
    asked_at_us = exchange.request.at_us
    empty = Answer(exchange.id, asked_at_us, True, exchange.response, (), None)
    found = [Part(None, empty)]
    for message, pieces in _by_message(exchange.pieces):
        if message is not None:
            asked_at_us = message.at_us
            found.append(Part(message, replace(empty, asked_at_us=asked_at_us, head=None)))
        last = found[-1]
        found[-1] = replace(last, answer=last.answer.with_pieces(*pieces))
    found[-1] = replace(found[-1], answer=replace(found[-1].answer, end=exchange.end))
    return tuple(found)


def put_together(exchange: WholeExchange, parts: Iterable[Part]) -> WholeExchange:
    """The exchange with these parts; what follows the first that ends it never crossed."""
    pieces: list[Piece] = []
    head, end, late_us = None, None, 0
    for part in parts:
        answer = part.answer
        head = head or answer.head
        crossed = (*([part.message] if part.message else []), *answer.pieces)
        pieces += (replace(piece, at_us=piece.at_us + late_us) for piece in crossed)
        if answer.end is not None:
            end = replace(answer.end, at_us=answer.end.at_us + late_us)
            break
        late_us += answer.late_us
    return replace(exchange, response=head, pieces=tuple(pieces), end=end)


def _by_message(pieces: tuple[Piece, ...]) -> Iterator[tuple[Piece | None, list[Piece]]]:
    """The client's messages, each with what crossed until the next; first, what came before."""
    message: Piece | None = None
    following: list[Piece] = []
    for piece in pieces:
        if is_request(piece):
            yield message, following
            message, following = piece, []
        else:
            following.append(piece)
    yield message, following


def _http_answer(exchange: WholeExchange) -> Answer:
    body, head = exchange.body, exchange.response
    asked_at_us = exchange.request.at_us if body is None else body.at_us
    pieces = exchange.pieces
    if head is not None and is_stream(head.headers):
        pieces = tuple(cut_into_events(pieces))
    end = exchange.end and _as_the_server_meant(exchange.end, pieces)
    return Answer(exchange.id, asked_at_us, False, head, pieces, end)


def _as_the_server_meant(end: End, pieces: tuple[Piece, ...]) -> End:
    """The end, as it is for a client that does not hear the last word of the stream: one that
    hears it hangs up, and the tape does not show that the server was done too."""
    if end.side is Sender.CLIENT and pieces and says_the_last_word(pieces[-1]):
        return End(end.exchange, end.at_us, EndKind.COMPLETE)
    return end
