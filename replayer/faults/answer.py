"""What the server did about one attempt, as a value to be bent. Pure.

Pieces are put so that each event is a piece of its own: a message on a WebSocket is one anyway, a
stream of events is cut anew, each event at the time of the chunk that completed it. ``HEAD`` is
the place before all pieces: the head of an HTTP response, or the answer to the handshake of a
WebSocket for the first request on it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Self

from wiretape.events import event_type
from wiretape.facts import (
    End,
    EndKind,
    Headers,
    Piece,
    PieceKind,
    ResponseHead,
    Sender,
    header,
)
from wiretape.sse import SseDecoder, SseEvent

HEAD: Final = -1
_LAST: Final = frozenset({"response.completed", "[DONE]"})


@dataclass(frozen=True, slots=True)
class Answer:
    """What the server did from ``asked_at_us`` on.

    ``head`` is ``None`` where none came, or where it is another request's. ``end`` is ``None``
    where the exchange went on. ``late_us`` is how much later it is over than it was recorded.
    """

    exchange: int
    asked_at_us: int
    is_websocket: bool
    head: ResponseHead | None
    pieces: tuple[Piece, ...]
    end: End | None
    late_us: int = 0

    @property
    def events(self) -> tuple[int, ...]:
        """Where its events stand among the pieces."""
        return tuple(at for at, piece in enumerate(self.pieces) if is_event(piece))

    def at_us(self, at: int) -> int:
        """When it had come to that place; :data:`HEAD` is when it was asked for."""
        if at < len(self.pieces):
            return self.asked_at_us if at == HEAD else self.pieces[at].at_us
        if self.end is not None:
            return self.end.at_us
        return self.pieces[-1].at_us if self.pieces else self.asked_at_us

    def delayed(self, at: int, by_us: int) -> Self:
        """The same, with a silence before that place."""
        later = [replace(piece, at_us=piece.at_us + by_us) for piece in self.pieces[max(at, 0) :]]
        return replace(
            self,
            head=_later(self.head, by_us) if at == HEAD else self.head,
            pieces=(*self.pieces[: max(at, 0)], *later),
            end=self.end and replace(self.end, at_us=self.end.at_us + by_us),
            late_us=self.late_us + by_us,
        )

    def ended(
        self,
        at: int,
        how: EndKind,
        side: Sender | None,
        *last: tuple[Sender, PieceKind, bytes],
        code: int | None = None,
        reason: str | None = None,
    ) -> Self:
        """What there is before that place, these last pieces, and then such an end."""
        at_us = self.at_us(at)
        pieces = [*self.pieces[: max(at, 0)], *(self._piece(at_us, *each) for each in last)]
        return replace(
            self,
            head=None if at == HEAD else self.head,
            pieces=tuple(pieces),
            end=End(self.exchange, at_us, how, side, code, reason),
        )

    def refused(self, status: int, reason: str, headers: Headers, body: bytes) -> Self:
        """Such a response in its place."""
        at_us = self.asked_at_us if self.head is None else self.head.at_us
        return replace(
            self,
            head=ResponseHead(self.exchange, at_us, status, reason, "HTTP/1.1", headers),
            pieces=(self._piece(at_us, Sender.SERVER, PieceKind.CHUNK, body),),
            end=End(self.exchange, at_us, EndKind.COMPLETE),
        )

    def with_event(self, at: int, text: str) -> Self:
        """The same, with one more event before that place."""
        kind, data = PieceKind.TEXT, text.encode("utf-8", "surrogatepass")
        if not self.is_websocket:
            kind, data = PieceKind.CHUNK, block(event_type(text), text)
        return self.with_piece(at, kind, data)

    def with_piece(self, at: int, kind: PieceKind, data: bytes) -> Self:
        """The same, with one more piece of the server's before that place."""
        piece = self._piece(self.at_us(at), Sender.SERVER, kind, data)
        return self.with_pieces(*self.pieces[:at], piece, *self.pieces[at:])

    def with_pieces(self, *pieces: Piece) -> Self:
        """The same, with other pieces."""
        return replace(self, pieces=pieces)

    def _piece(self, at_us: int, sender: Sender, kind: PieceKind, data: bytes) -> Piece:
        return Piece(self.exchange, at_us, sender, kind, data)


def is_event(piece: Piece) -> bool:
    """Whether a piece of an :class:`Answer` is an event."""
    return text_of(piece) is not None


def text_of(piece: Piece) -> str | None:
    """What an event says, ``None`` for a piece that is none."""
    if piece.sender is Sender.CLIENT:
        return None
    if piece.kind is PieceKind.TEXT:
        return piece.data.decode("utf-8", "replace")
    event = _event(piece)
    return None if event is None else event.data


def with_text(piece: Piece, text: str) -> Piece:
    """The event with something else to say, under the same name."""
    if piece.kind is PieceKind.TEXT:
        return replace(piece, data=text.encode("utf-8", "surrogatepass"))
    event = _event(piece)
    return replace(piece, data=block(None if event is None else event.event, text))


def says_the_last_word(piece: Piece) -> bool:
    """Whether an event is the one after which a client hears no more of a stream."""
    text = text_of(piece) or ""
    return text in _LAST or event_type(text) in _LAST


def cut_into_events(pieces: tuple[Piece, ...]) -> Iterator[Piece]:
    """The body of a stream, each event a piece of its own; what is no event stays as it is."""
    decoder, body, start = SseDecoder(), bytearray(), 0
    for piece in pieces:
        body += piece.data
        for event in decoder.feed(piece.data):
            yield replace(piece, data=bytes(body[start : event.end]))
            start = event.end
    if body[start:]:
        # An event that ends with the stream itself is one too: it is cut off nowhere else.
        yield replace(pieces[-1], data=bytes(body[start:]))


def is_stream(headers: Headers) -> bool:
    """Whether a body is a stream of events that can be read as it stands."""
    kind = (header(headers, "content-type") or "").lower()
    return kind.startswith("text/event-stream") and header(headers, "content-encoding") is None


def _event(piece: Piece) -> SseEvent | None:
    if piece.kind is not PieceKind.CHUNK:
        return None
    decoder = SseDecoder()
    events = [*decoder.feed(piece.data), *decoder.close()[0]]
    return events[0] if events else None


def block(name: str | None, text: str) -> bytes:
    """An event of a stream, under that name."""
    named = "" if name in (None, "message") else f"event: {name}\n"
    lines = "".join(f"data: {line}\n" for line in text.split("\n"))
    return f"{named}{lines}\n".encode("utf-8", "surrogatepass")


def _later(head: ResponseHead | None, by_us: int) -> ResponseHead | None:
    return head and replace(head, at_us=head.at_us + by_us)
