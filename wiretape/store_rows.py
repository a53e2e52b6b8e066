"""Turns facts into rows and segments, inside whatever transaction the caller holds.

One :class:`TapeRows` serves one tape from its first fact to its last. It keeps no more memory
than a few numbers for each open exchange, however long that lives. A fact that no row can hold
(a text that is no Unicode, a blob beyond SQLite's limit) becomes a gap in its place, so that it
cannot keep the others off the tape.
"""

import json
import sqlite3
import struct
from collections.abc import Iterable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Final, assert_never

from wiretape.bodies import BodyEncoder
from wiretape.facts import (
    End,
    Fact,
    Gap,
    Headers,
    Piece,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.segments import Codec, StoredPiece, compress, decompress, pack, unpack

_REST_AFTER_BYTES: Final = 256 * 1024
"""A stream's loose segments are joined and compressed when they reach this size, when there are
``_REST_AFTER_SEGMENTS`` of them, or when the stream ends."""

_REST_AFTER_SEGMENTS: Final = 256

_BODY_FROM_BYTES: Final = 512
"""Client messages from this size on are stored as bodies: they repeat the conversation."""

_UNSTORABLE: Final = (
    ValueError,
    OverflowError,
    struct.error,
    sqlite3.DataError,
    sqlite3.IntegrityError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)
"""What is the fault of a fact, not of the tape: trying again would not help."""


@dataclass(slots=True)
class _OpenStream:
    """What the writer remembers of an exchange that is not over."""

    next_piece: int
    loose_bytes: int = 0
    loose_segments: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mark:
    """A state of :class:`TapeRows` to come back to."""

    open_streams: dict[int, _OpenStream]
    bodies: BodyEncoder


class TapeRows:
    """Writes facts into the tables of one tape."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._bodies = BodyEncoder()
        self._open: dict[int, _OpenStream] = {}

    def write(self, facts: Iterable[Fact]) -> None:
        """Writes ``facts`` in order; pieces are gathered into one segment for each exchange."""
        pieces: dict[int, list[Piece]] = {}
        for fact in facts:
            if isinstance(fact, Piece):
                pieces.setdefault(fact.exchange, []).append(fact)
                continue
            if isinstance(fact, End):
                self._write_segment(pieces.pop(fact.exchange, []))
            try:
                self._write_one(fact)
            except _UNSTORABLE as error:
                self._gap(gap_of([fact], _unstorable(error)))
        for waiting in pieces.values():
            self._write_segment(waiting)

    def _write_segment(self, pieces: list[Piece]) -> None:
        try:
            if pieces:
                self._add_segment(pieces[0].exchange, pieces)
        except _UNSTORABLE as error:
            self._gap(gap_of(pieces, _unstorable(error)))

    def _write_one(self, fact: RequestHead | RequestBody | ResponseHead | End | Gap) -> None:
        match fact:
            case RequestHead():
                self._request_head(fact)
            case RequestBody():
                self._request_body(fact)
            case ResponseHead():
                self._response_head(fact)
            case End():
                self._end(fact)
            case Gap():
                self._gap(fact)
            case _:
                assert_never(fact)

    def mark(self) -> Mark:
        """Where the rows stand now, to come back to if the transaction is rolled back."""
        return Mark(deepcopy(self._open), self._bodies.copy())

    def back_to(self, mark: Mark) -> None:
        """Forgets what was written since ``mark``; the caller rolls the tables back."""
        self._open, self._bodies = mark.open_streams, mark.bodies

    def rest_all(self) -> None:
        """Joins and compresses what is still loose, as at the end of a recording."""
        for exchange, stream in self._open.items():
            self._rest(exchange, stream)

    def _stored(self, piece: Piece) -> Piece | StoredPiece:
        if piece.sender is Sender.CLIENT and len(piece.data) >= _BODY_FROM_BYTES:
            body = self._body(piece.data)
            return StoredPiece(piece.at_us, piece.sender, piece.kind, b"", body)
        return piece

    def _body(self, sent: bytes) -> int:
        stored, content = self._bodies.encode(sent)
        cursor = self._connection.execute(
            "INSERT INTO bodies (size_bytes, base, depth, recipe, data) VALUES (?, ?, ?, ?, ?)",
            (stored.size_bytes, stored.base, stored.depth, stored.recipe, stored.data),
        )
        body = cursor.lastrowid
        assert body is not None
        self._bodies.remember(body, stored, content)
        return body

    def _request_head(self, head: RequestHead) -> None:
        self._connection.execute(
            "INSERT INTO exchanges (id, at_us, connection, method, scheme, host, port, target,"
            " http_version, request_headers, upstream) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                head.exchange,
                head.at_us,
                head.connection,
                head.method,
                head.scheme,
                head.host,
                head.port,
                head.target,
                head.http_version,
                headers_to_text(head.headers),
                head.upstream,
            ),
        )

    def _request_body(self, body: RequestBody) -> None:
        self._connection.execute(
            "UPDATE exchanges SET request_at_us = ?, request_body = ?, request_is_whole = ?"
            " WHERE id = ?",
            (
                body.at_us,
                self._body(body.data) if body.data else None,
                body.is_whole,
                body.exchange,
            ),
        )

    def _response_head(self, head: ResponseHead) -> None:
        self._connection.execute(
            "UPDATE exchanges SET response_at_us = ?, status = ?, status_reason = ?,"
            " response_http_version = ?, response_headers = ? WHERE id = ?",
            (
                head.at_us,
                head.status,
                head.reason,
                head.http_version,
                headers_to_text(head.headers),
                head.exchange,
            ),
        )

    def _end(self, end: End) -> None:
        self._connection.execute(
            "UPDATE exchanges SET end_at_us = ?, end = ?, end_side = ?, close_code = ?,"
            " close_reason = ?, end_detail = ? WHERE id = ?",
            (end.at_us, end.how, end.side, end.code, end.reason, end.detail, end.exchange),
        )
        if stream := self._open.pop(end.exchange, None):
            self._rest(end.exchange, stream)

    def _gap(self, gap: Gap) -> None:
        self._connection.execute(
            "INSERT INTO gaps (at_us, until_us, exchange, lost_facts, lost_bytes, reason)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (gap.at_us, gap.until_us, gap.exchange, gap.lost_facts, gap.lost_bytes, gap.reason),
        )

    def _add_segment(self, exchange: int, pieces: list[Piece]) -> None:
        stream = self._open.get(exchange)
        if stream is None:
            stream = self._open[exchange] = _OpenStream(self._next_piece(exchange))
        size_bytes = sum(len(piece.data) for piece in pieces)
        stored = [self._stored(piece) for piece in pieces]
        blob = pack(stored)
        is_enough = len(blob) >= _REST_AFTER_BYTES
        codec = Codec.RAW
        if is_enough:
            # It need not be written, read back and written again; but what is joined must
            # follow on one another.
            self._rest(exchange, stream)
            codec, blob = compress(blob)
        segment = self._insert_segment(exchange, stream.next_piece, stored, size_bytes, codec, blob)
        stream.next_piece += len(pieces)
        if is_enough:
            return
        stream.loose_segments.append(segment)
        stream.loose_bytes += len(blob)
        if (
            stream.loose_bytes >= _REST_AFTER_BYTES
            or len(stream.loose_segments) >= _REST_AFTER_SEGMENTS
        ):
            self._rest(exchange, stream)

    def _next_piece(self, exchange: int) -> int:
        # Not always 0: a piece may be handed over after the end of its exchange.
        (number,) = self._connection.execute(
            "SELECT coalesce(max(first_piece + pieces), 0) FROM segments WHERE exchange = ?",
            (exchange,),
        ).fetchone()
        assert isinstance(number, int)
        return number

    def _rest(self, exchange: int, stream: _OpenStream) -> None:
        if not stream.loose_segments:
            return
        pieces: list[StoredPiece] = []
        total_bytes = 0
        for segment in stream.loose_segments:
            (at_us, size_bytes, codec, data) = self._connection.execute(
                "SELECT at_us, size_bytes, codec, data FROM segments WHERE id = ?", (segment,)
            ).fetchone()
            pieces += unpack(at_us, decompress(Codec(codec), data))
            total_bytes += size_bytes
            self._connection.execute("DELETE FROM segments WHERE id = ?", (segment,))
        codec, blob = compress(pack(pieces))
        first_piece = stream.next_piece - len(pieces)
        self._insert_segment(exchange, first_piece, pieces, total_bytes, codec, blob)
        stream.loose_segments.clear()
        stream.loose_bytes = 0

    def _insert_segment(
        self,
        exchange: int,
        first_piece: int,
        pieces: Sequence[Piece | StoredPiece],
        size_bytes: int,
        codec: Codec,
        blob: bytes,
    ) -> int:
        cursor = self._connection.execute(
            "INSERT INTO segments (exchange, first_piece, pieces, at_us, until_us, size_bytes,"
            " codec, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                exchange,
                first_piece,
                len(pieces),
                pieces[0].at_us,
                pieces[-1].at_us,
                size_bytes,
                codec,
                blob,
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid


def gap_of(facts: Sequence[Fact], reason: str) -> Gap:
    """What is left of facts of one exchange that are not kept."""
    return Gap(
        facts[0].at_us,
        facts[-1].at_us,
        facts[0].exchange,
        len(facts),
        sum(len(fact.data) for fact in facts if isinstance(fact, Piece | RequestBody)),
        reason,
    )


def _unstorable(error: Exception) -> str:
    # Not the error's own words, which may quote what the tape must not hold.
    return f"it does not fit onto a tape ({type(error).__name__})"


def headers_to_text(headers: Headers) -> str:
    """Headers as the tape holds them: a JSON list of name and value pairs."""
    return json.dumps(headers, ensure_ascii=False, separators=(",", ":"))


def headers_from_text(text: str) -> Headers:
    """Undoes :func:`headers_to_text`."""
    return tuple((name, value) for name, value in json.loads(text))
