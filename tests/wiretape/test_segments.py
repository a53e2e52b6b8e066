"""Segments: whatever is packed comes back, and damage is said, never passed on."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.facts import PieceKind, Sender
from wiretape.segments import Codec, StoredPiece, compress, decompress, pack, unpack

CHUNK = (Sender.SERVER, PieceKind.CHUNK)
KINDS = [CHUNK, *((s, k) for k in PieceKind if k is not PieceKind.CHUNK for s in Sender)]
PIECES = st.lists(
    st.builds(
        lambda at_us, kind, data, body: StoredPiece(
            at_us, *kind, data if body is None else b"", body
        ),
        st.integers(0, 1 << 50),
        st.sampled_from(KINDS),
        st.binary(max_size=300),
        st.none() | st.integers(1, (1 << 63) - 1),
    ),
    min_size=1,
    max_size=40,
)


@given(PIECES)
def test_what_is_packed_comes_back(pieces: list[StoredPiece]) -> None:
    """Times, senders, kinds, bytes and body ids of every piece survive a segment."""
    assert unpack(pieces[0].at_us, pack(pieces)) == pieces


@given(PIECES)
def test_what_is_compressed_comes_back(pieces: list[StoredPiece]) -> None:
    """A blob comes back from the codec that was chosen for it, and never grows."""
    blob = pack(pieces)
    codec, kept = compress(blob)
    assert decompress(codec, kept) == blob
    assert len(kept) <= len(blob)


def test_the_layout_is_the_documented_one() -> None:
    """The bytes of a segment with a chunk and a message that is stored elsewhere, written out."""
    chunk = StoredPiece(1_000, *CHUNK, b"data: 1\n\n")
    message = StoredPiece(1_500, Sender.CLIENT, PieceKind.TEXT, b"", body=7)
    assert pack([chunk, message]) == b"".join(
        (
            b"\2\0\0\0",
            b"\x00\x81",
            struct.pack("<qq", 0, 500),
            struct.pack("<II", 9, 8),
            b"data: 1\n\n",
            struct.pack("<Q", 7),
        )
    )


def test_what_repeats_is_kept_small() -> None:
    """A hundred equal events of 200 bytes take less than a tenth of their size."""
    codec, kept = compress(pack([StoredPiece(n, *CHUNK, b"x" * 200) for n in range(100)]))
    assert codec is Codec.ZSTD
    assert len(kept) < 2_000


@given(PIECES, st.data())
def test_a_segment_cut_short_is_refused(pieces: list[StoredPiece], data: st.DataObject) -> None:
    """No beginning of a segment passes for a whole one."""
    blob = pack(pieces)
    with pytest.raises(ValueError, match="segment"):
        unpack(0, blob[: data.draw(st.integers(0, len(blob) - 1))])


@given(st.binary(max_size=200))
def test_any_bytes_are_a_segment_or_refused(blob: bytes) -> None:
    """Damage is a ValueError, whatever the bytes are: nothing else escapes."""
    try:
        pieces = unpack(0, blob)
    except ValueError:
        return
    assert len(pack(pieces) if pieces else blob) == len(blob)


def test_an_unknown_kind_is_refused() -> None:
    """A code that no table names is damage, not an IndexError."""
    blob = bytearray(pack([StoredPiece(0, *CHUNK, b"")]))
    blob[4] = 0x7F
    with pytest.raises(ValueError, match="unknown kind 127"):
        unpack(0, bytes(blob))


@pytest.mark.parametrize(
    "damaged",
    [b"", b"no zstd", compress(bytes(1000))[1][:-3], b"\x28\xb5\x2f\xfd" + b"\xff" * 20],
    ids=["empty", "foreign", "cut", "claims any size"],
)
def test_damaged_compression_is_refused(damaged: bytes) -> None:
    """What zstd cannot read is damage."""
    with pytest.raises(ValueError, match="a compressed segment is damaged"):
        decompress(Codec.ZSTD, damaged)
