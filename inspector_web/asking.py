"""What an attempt asked, read again from its tape, and the words that a person began with."""

from collections.abc import Mapping
from typing import Final

from inspector_web.index.reader import IndexReader, Only
from wiretape.asked import Asked, RequestKind, asked_by_message, asked_in
from wiretape.attempt import Attempt
from wiretape.facts import PieceKind, Sender
from wiretape.inputs import said_by_user
from wiretape.sessions import Session, Turn
from wiretape.store_reader import Exchange, TapeReader


def asked_of(
    reader: TapeReader, exchange: Exchange, attempt: Attempt, index: IndexReader | None = None
) -> Asked:
    """What the client asked with this attempt; found sooner with an index."""
    request = exchange.request
    sent = sent_with(reader, exchange, attempt, index)
    if attempt.message is not None:
        return asked_by_message(request.headers, sent)
    return asked_in(request, sent)


def sent_with(
    reader: TapeReader, exchange: Exchange, attempt: Attempt, index: IndexReader | None = None
) -> bytes:
    """The body or the message that was sent with this attempt, exactly as it crossed."""
    if attempt.message is None:
        return reader.request_body(exchange.id)
    if index is None:
        return _message(reader, exchange.id, attempt.message)
    for stretch in index.stretches_since(attempt.at_us, {exchange.id}, Only(sender=Sender.CLIENT)):
        for position, crossing in enumerate(index.crossings(stretch), stretch.start.position):
            is_asked = crossing.sender is Sender.CLIENT and crossing.text is not None
            if is_asked and crossing.at_us == attempt.at_us:
                return next(reader.pieces(exchange.id, position - _HEADS)).data
    return b""


_HEADS: Final = 2
"""The handshake and its answer come before the first message on a socket."""


def _message(reader: TapeReader, exchange: int, number: int) -> bytes:
    count = 0
    for piece in reader.pieces(exchange):
        if piece.sender is Sender.CLIENT and piece.kind is PieceKind.TEXT:
            if count == number:
                return piece.data
            count += 1
    return b""


def first_words(reader: TapeReader, exchanges: Mapping[int, Exchange], session: Session) -> str:
    """What the person said first, as far as the tape tells; empty if it does not.

    A client puts its own context in front, in the user's name, so of the first request that holds
    messages of the user the last one counts. A warm-up is looked at only if nothing else was asked.
    """
    attempts = [request.last for request in session.requests]
    for attempt in sorted(attempts, key=lambda each: each.kind is RequestKind.WARM_UP):
        asked = asked_of(reader, exchanges[attempt.exchange], attempt)
        if words := [text for item in asked.input_items if (text := said_by_user(item))]:
            return words[-1]
    return ""


def turn_words(reader: TapeReader, turn: Turn, index: IndexReader) -> str:
    """What the person said to begin a turn, as far as the tape tells; empty if it does not."""
    for request in sorted(turn.requests, key=lambda each: each.last.kind is RequestKind.WARM_UP):
        exchange = reader.exchange(request.last.exchange)
        if exchange is not None:
            asked = asked_of(reader, exchange, request.last, index)
            if words := [text for item in asked.input_items if (text := said_by_user(item))]:
                return words[-1]
    return ""
