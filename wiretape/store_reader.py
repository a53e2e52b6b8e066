"""Gives a tape's facts back, in order, without ever writing to it.

Works on a finished tape, on one that is still being written, and on one whose writer was killed.
"""

import sqlite3
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from wiretape.bodies import StoredBody, as_sent, decode
from wiretape.errors import NotATape, TapeError
from wiretape.facts import End, EndKind, Gap, Piece, RequestHead, ResponseHead, Sender
from wiretape.schema import check_is_tape
from wiretape.segments import Codec, Segment, checked_time, decompress
from wiretape.store_open import in_memory, opened
from wiretape.store_presence import Writing, is_being_written
from wiretape.store_rows import headers_from_text
from wiretape.store_writer import TapeLabel

_CONTENTS_KEPT_BYTES: Final = 32 * 1024 * 1024
"""Decoded bodies that are kept at hand, because the next one is likely to build on them."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange as far as it is on the tape; its body and pieces are read separately.

    ``request_at_us`` is when the request was over, and ``request_is_whole`` whether it is on the
    tape whole; ``pieces`` and ``size_bytes`` count what crossed after the heads.
    """

    request: RequestHead
    request_at_us: int | None
    request_is_whole: bool
    response: ResponseHead | None
    end: End | None
    pieces: int
    size_bytes: int

    @property
    def id(self) -> int:
        return self.request.exchange

    @property
    def is_upgrade(self) -> bool:
        """Whether the client asked for a WebSocket."""
        return self.request.is_upgrade

    @property
    def is_websocket(self) -> bool:
        """Whether it became one."""
        return self.is_upgrade and self.response is not None and self.response.status == 101


class TapeReader:
    """Reads the tape, or the script, at ``path``. Use as a context manager, from one thread.

    With ``content``, that is the tape: one in memory, which messages call ``path``.

    Raises:
        TapeMissing, NotATape, TapeTooNew, BadScript: the file cannot be used, and why.
    """

    def __init__(self, path: Path, content: bytes | None = None) -> None:
        self.path = path
        self._connection = opened(path) if content is None else in_memory(content)
        self._contents: OrderedDict[int, bytes] = OrderedDict()
        self._segment: tuple[int, int, Segment] | None = None
        try:
            check_is_tape(self._connection, str(path))
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def label(self) -> TapeLabel:
        """What the tape says of itself."""
        later = ", faults" if self._says("faults") else ""
        for row in self._rows(
            "SELECT made_by, started_at_us, clock, command, source, wiretape_version"
            f"{later} FROM tape"
        ):
            with self._damage_told():
                checked_time(row["started_at_us"])
            return TapeLabel(*row)
        raise NotATape(f"{self.path} is an unfinished tape: it does not say where it comes from.")

    def _says(self, column: str) -> bool:
        """Whether the tape has this word of itself: an older one has fewer."""
        return bool(self._rows("SELECT 1 FROM pragma_table_info('tape') WHERE name = ?", column))

    def is_closed(self) -> bool:
        """Whether the recording came to its end: not while it goes on, nor if it was cut off."""
        if self._says("is_closed"):
            return bool(self._rows("SELECT 1 FROM tape WHERE is_closed = 1"))
        # An older tape does not say it. A recorder that ends, ends every exchange.
        return not self._rows("SELECT 1 FROM exchanges WHERE end IS NULL LIMIT 1")

    def is_being_written(self) -> bool:
        """Whether more may come to it. A tape that is neither closed nor written was cut off."""
        # In this order: a tape that is closed between the two is not being written.
        return is_being_written(self.path) and not self.is_closed()

    def writing(self) -> Writing:
        """The same in one word."""
        if self.is_being_written():
            return Writing.GOES_ON
        return Writing.CLOSED if self.is_closed() else Writing.CUT_OFF

    def exchanges(self) -> Iterator[Exchange]:
        """Every exchange, in the order they began."""
        for row in self._rows(_EXCHANGES + " ORDER BY e.id"):
            yield self._exchange(row)

    def exchange(self, number: int) -> Exchange | None:
        """The exchange of that number."""
        for row in self._rows(_EXCHANGES + " WHERE e.id = ?", number):
            return self._exchange(row)
        return None

    def begins(self) -> list[tuple[int, int]]:
        """The number of every exchange and when it began, in that order."""
        return [(number, at_us) for number, at_us in self._rows(_BEGINS)]

    def request_body(self, exchange: int) -> bytes:
        """The body of an exchange's HTTP request as it was sent; empty where there was none."""
        for (body,) in self._rows("SELECT request_body FROM exchanges WHERE id = ?", exchange):
            return b"" if body is None else self._body(body)
        return b""

    def pieces(self, exchange: int, first: int = 0) -> Iterator[Piece]:
        """What crossed after the heads, in order, at most one segment of it in memory.

        ``first`` is the number of the piece to begin with; what comes before is not unpacked.
        """
        next_piece = first
        # A segment at a time: the writer may join those that we have read, or are about to.
        while (found := self._segment_with(exchange, next_piece)) is not None:
            first_piece, segment = found
            for at in range(max(0, next_piece - first_piece), len(segment)):
                with self._damage_told():
                    piece = segment[at]
                content = piece.data if piece.body is None else self._body(piece.body)
                yield Piece(exchange, piece.at_us, piece.sender, piece.kind, content)
            next_piece = first_piece + len(segment)

    def data(self, exchange: int, first: int, after: int) -> Iterator[bytes]:
        """The bytes of the pieces from the first one up to the other one, some at a time.

        Those that are kept as bodies are left out: it is for a quick look at what a server sent.
        """
        while first < after and (found := self._segment_with(exchange, first)) is not None:
            first_piece, segment = found
            until = min(after - first_piece, len(segment))
            yield segment.data(max(0, first - first_piece), until)
            first = first_piece + until

    def gaps(self) -> list[Gap]:
        """What crossed but is not on the tape."""
        return [
            Gap(*row)
            for row in self._rows(
                "SELECT at_us, until_us, exchange, lost_facts, lost_bytes, reason FROM gaps"
                " ORDER BY at_us, id"
            )
        ]

    def _exchange(self, row: sqlite3.Row) -> Exchange:
        with self._damage_told():
            return _exchange(row)

    def _segment_with(self, exchange: int, piece: int) -> tuple[int, Segment] | None:
        """The segment that holds that piece, and the number of its first one.

        The last one is kept at hand: whoever reads a part of a segment is likely to go on in it.
        """
        if self._segment is not None and self._segment[0] == exchange:
            _, first_piece, segment = self._segment
            if first_piece <= piece < first_piece + len(segment):
                return first_piece, segment
        # The one that begins last before the piece has it, unless damage took that.
        for query in (
            _SEGMENTS + "first_piece <= ? ORDER BY first_piece DESC LIMIT 1",
            _SEGMENTS + "first_piece > ? ORDER BY first_piece LIMIT 1",
        ):
            for first_piece, at_us, codec, data in self._rows(query, exchange, piece):
                with self._damage_told():
                    segment = Segment(at_us, decompress(Codec(codec), data))
                if piece < first_piece + len(segment):
                    self._segment = (exchange, first_piece, segment)
                    return first_piece, segment
        return None

    def _body(self, body: int) -> bytes:
        with self._damage_told():
            stored = self._stored_body(body)
            return as_sent(stored, self._content(body, stored))

    def _content(self, body: int, stored: StoredBody) -> bytes:
        chain = [(body, stored)]
        while (last := chain[-1])[0] not in self._contents and (base := last[1].base) is not None:
            if base >= last[0]:
                raise ValueError(f"the request body {last[0]} builds on a later one")
            chain.append((base, self._stored_body(base)))
        content: bytes | None = None
        for number, each in reversed(chain):
            if number not in self._contents:
                self._keep(number, decode(each, content))
            content = self._contents[number]
        assert content is not None
        return content

    def _keep(self, body: int, content: bytes) -> None:
        self._contents[body] = content
        while len(self._contents) > 1 and (
            sum(map(len, self._contents.values())) > _CONTENTS_KEPT_BYTES
        ):
            self._contents.popitem(last=False)

    def _stored_body(self, body: int) -> StoredBody:
        for row in self._rows(
            "SELECT size_bytes, base, depth, recipe, data FROM bodies WHERE id = ?", body
        ):
            return StoredBody(*row)
        raise ValueError(f"the request body {body} is missing")

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except (ValueError, TypeError) as error:
            raise TapeError(
                f"{self.path} is damaged ({error}): take another copy of it."
            ) from error

    def _rows(self, query: str, *values: object) -> list[Any]:
        try:
            return self._connection.execute(query, values).fetchall()
        # SQLite's own messages quote the file, in whatever bytes it has become.
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise TapeError(
                f"{self.path} cannot be read ({error}): if it was copied while being recorded, "
                "copy it again with the files beside it."
            ) from error


_BEGINS: Final = "SELECT id, at_us FROM exchanges ORDER BY id"

_SEGMENTS: Final = "SELECT first_piece, at_us, codec, data FROM segments WHERE exchange = ? AND "

_EXCHANGES: Final = """
    SELECT e.id, e.at_us, e.connection, e.method, e.scheme, e.host, e.port, e.target,
      e.http_version, e.request_headers, e.upstream, e.request_at_us, e.request_is_whole,
      e.response_at_us, e.status, e.status_reason, e.response_http_version, e.response_headers,
      e.end_at_us, e.end, e.end_side, e.close_code, e.close_reason, e.end_detail,
      coalesce((SELECT sum(pieces) FROM segments s WHERE s.exchange = e.id), 0) AS pieces,
      coalesce((SELECT sum(size_bytes) FROM segments s WHERE s.exchange = e.id), 0) AS size_bytes
    FROM exchanges e
"""


def _exchange(row: sqlite3.Row) -> Exchange:
    number = row["id"]
    response = end = None
    if row["response_at_us"] is not None:
        response = ResponseHead(
            number,
            checked_time(row["response_at_us"]),
            row["status"],
            row["status_reason"],
            row["response_http_version"],
            headers_from_text(row["response_headers"]),
        )
    if row["end_at_us"] is not None:
        end = End(
            number,
            checked_time(row["end_at_us"]),
            EndKind(row["end"]),
            None if row["end_side"] is None else Sender(row["end_side"]),
            row["close_code"],
            row["close_reason"],
            row["end_detail"],
        )
    request = RequestHead(
        number,
        checked_time(row["at_us"]),
        row["connection"],
        row["method"],
        row["scheme"],
        row["host"],
        row["port"],
        row["target"],
        row["http_version"],
        headers_from_text(row["request_headers"]),
        row["upstream"],
    )
    return Exchange(
        request,
        None if row["request_at_us"] is None else checked_time(row["request_at_us"]),
        row["request_is_whole"] == 1,
        response,
        end,
        row["pieces"],
        row["size_bytes"],
    )
