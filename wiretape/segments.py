"""Packs the pieces of one exchange into the blob of a segment, and back.

Layout, little-endian::

    u32 count │ count × u8 code │ count × i64 µs since the segment's first piece
              │ count × u32 length │ the data, joined

Columns instead of records, because equal columns compress well and unpack at the speed of
``struct``. ``code`` names the sender and the kind; with its top bit set, the data of the piece
is the 8-byte id of a body that is stored elsewhere.

Invariant: ``unpack(pieces[0].at_us, pack(pieces))`` gives back equal pieces.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate
from typing import Final, overload

import zstandard

from wiretape.facts import Piece, PieceKind, Sender

# The position in this table is what the tape stores: append only.
_CODES: Final = (
    (Sender.SERVER, PieceKind.CHUNK),
    (Sender.CLIENT, PieceKind.TEXT),
    (Sender.SERVER, PieceKind.TEXT),
    (Sender.CLIENT, PieceKind.BINARY),
    (Sender.SERVER, PieceKind.BINARY),
    (Sender.CLIENT, PieceKind.PING),
    (Sender.SERVER, PieceKind.PING),
    (Sender.CLIENT, PieceKind.PONG),
    (Sender.SERVER, PieceKind.PONG),
    (Sender.CLIENT, PieceKind.CLOSE),
    (Sender.SERVER, PieceKind.CLOSE),
    (Sender.CLIENT, PieceKind.UNDECODED),
    (Sender.SERVER, PieceKind.UNDECODED),
)
_CODE_OF: Final = {pair: code for code, pair in enumerate(_CODES)}
_IN_BODIES: Final = 0x80
_COUNT: Final = struct.Struct("<I")
_BODY_ID: Final = struct.Struct("<Q")


class Codec(StrEnum):
    """How a segment's blob is kept."""

    RAW = "raw"
    ZSTD = "zstd"


@dataclass(frozen=True, slots=True)
class StoredPiece:
    """A piece as a segment holds it: its data, or the id of the body that is its data."""

    at_us: int
    sender: Sender
    kind: PieceKind
    data: bytes
    body: int | None = None


def pack(pieces: Sequence[Piece | StoredPiece]) -> bytes:
    """The blob that holds ``pieces``; times are relative to the first one's."""
    first_at_us = pieces[0].at_us
    codes = bytearray()
    data = []
    for piece in pieces:
        code = _CODE_OF[piece.sender, piece.kind]
        if isinstance(piece, Piece) or piece.body is None:
            codes.append(code)
            data.append(piece.data)
        else:
            codes.append(code | _IN_BODIES)
            data.append(_BODY_ID.pack(piece.body))
    count = len(pieces)
    return b"".join(
        (
            _COUNT.pack(count),
            codes,
            struct.pack(f"<{count}q", *(piece.at_us - first_at_us for piece in pieces)),
            struct.pack(f"<{count}I", *map(len, data)),
            *data,
        )
    )


def checked_time(us: int) -> int:
    """A time in microseconds, as a tape has it.

    Raises:
        ValueError: it is more than 285 years away, beyond what JSON can hold everywhere.
    """
    if abs(us) >= 1 << 53:
        raise ValueError(f"{us} µs is no time of a recording")
    return us


class Segment(Sequence[StoredPiece]):
    """The pieces in a blob, each made when it is asked for.

    Raises:
        ValueError: the blob is not a whole segment, or of no time; and for a piece of no known
            kind.
    """

    def __init__(self, first_at_us: int, blob: bytes) -> None:
        try:
            (count,) = _COUNT.unpack_from(blob)
            self._codes = blob[4 : 4 + count]
            self._offsets = struct.unpack_from(f"<{count}q", blob, 4 + count)
            lengths = struct.unpack_from(f"<{count}I", blob, 4 + count * 9)
        except struct.error as error:
            raise ValueError(f"a segment of {len(blob)} bytes is cut short") from error
        self._ends = list(accumulate(lengths, initial=4 + count * 13))
        if self._ends[-1] != len(blob):
            raise ValueError(f"a segment of {len(blob)} bytes should have {self._ends[-1]}")
        for offset_us in (min(self._offsets, default=0), max(self._offsets, default=0)):
            checked_time(first_at_us + offset_us)
        self._first_at_us = first_at_us
        self._blob = blob

    def __len__(self) -> int:
        return len(self._offsets)

    def data(self, first: int, after: int) -> bytes:
        """What is kept of the pieces from the first one up to the other one, joined."""
        return self._blob[self._ends[first] : self._ends[after]]

    @overload
    def __getitem__(self, index: int) -> StoredPiece: ...
    @overload
    def __getitem__(self, index: slice) -> list[StoredPiece]: ...
    def __getitem__(self, index: int | slice) -> StoredPiece | list[StoredPiece]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        return _piece(
            self._codes[index],
            self._first_at_us + self._offsets[index],
            self._blob[self._ends[index] : self._ends[index + 1]],
        )


def unpack(first_at_us: int, blob: bytes) -> list[StoredPiece]:
    """The pieces in ``blob``, in order.

    Raises:
        ValueError: the blob is not a whole segment.
    """
    return Segment(first_at_us, blob)[:]


def _piece(code: int, at_us: int, data: bytes) -> StoredPiece:
    is_in_bodies, code = bool(code & _IN_BODIES), code & ~_IN_BODIES
    if code >= len(_CODES):
        raise ValueError(f"a segment holds a piece of the unknown kind {code}")
    if not is_in_bodies:
        return StoredPiece(at_us, *_CODES[code], data)
    if len(data) != _BODY_ID.size:
        raise ValueError(f"a segment names a body by {len(data)} bytes")
    return StoredPiece(at_us, *_CODES[code], b"", *_BODY_ID.unpack(data))


def compress(blob: bytes) -> tuple[Codec, bytes]:
    """The smaller of ``blob`` and its compressed form, and which it is."""
    # With a checksum: damage must be refused, not told as what crossed.
    packed = zstandard.ZstdCompressor(level=3, write_checksum=True).compress(blob)
    return (Codec.ZSTD, packed) if len(packed) < len(blob) else (Codec.RAW, blob)


def decompress(codec: Codec, blob: bytes) -> bytes:
    """Undoes :func:`compress`.

    Raises:
        ValueError: the blob is damaged.
    """
    if codec is Codec.RAW:
        return blob
    try:
        return zstandard.ZstdDecompressor().decompress(blob)
    except (zstandard.ZstdError, MemoryError) as error:
        # A damaged header may claim any size.
        raise ValueError(f"a compressed segment is damaged: {error}") from error
