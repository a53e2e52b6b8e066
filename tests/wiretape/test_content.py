"""Content decoding: every coding at every split, and bodies that are damaged, cut or hostile."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from streams import ANSWER, every_split, stream_of

from wiretape.content import ContentDecoder, ContentFault, ContentFaultKind, decode, is_accepted

BODY = stream_of(*ANSWER)


def raw_deflate(data: bytes) -> bytes:
    """Deflate data without the zlib wrapper."""
    return zlib.compress(data, wbits=-15)


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstandard.compress,
}

ENCODED = [
    *((name, encode(BODY)) for name, encode in ENCODERS.items()),
    ("deflate", raw_deflate(BODY)),
    ("identity", BODY),
    ("", BODY),
    (None, BODY),
    ("gzip, zstd", zstandard.compress(gzip.compress(BODY))),
    (" GZip ,identity,, BR", brotli.compress(gzip.compress(BODY))),
    ("gzip", gzip.compress(BODY[:100]) + gzip.compress(BODY[100:])),
    ("zstd", zstandard.compress(BODY[:100]) + zstandard.compress(BODY[100:])),
]
encoded = pytest.mark.parametrize(("encoding", "data"), ENCODED)


def damaged(decoded: tuple[bytes, ContentFault | None]) -> bool:
    """Whether decoding ended with the fault of damaged data."""
    return decoded[1] is not None and decoded[1].kind is ContentFaultKind.DAMAGED


@encoded
def test_a_body_decodes_whole(encoding: str | None, data: bytes) -> None:
    """A body fed at once decodes to what was encoded, without fault."""
    assert decode(data, encoding) == (BODY, None)


@encoded
def test_a_body_decodes_byte_by_byte(encoding: str | None, data: bytes) -> None:
    """A body fed one byte at a time decodes to the same."""
    decoder = ContentDecoder(encoding)
    pieces = [decoder.feed(bytes([byte])) for byte in data]
    assert b"".join(pieces) + decoder.finish() == BODY
    assert decoder.fault is None


@encoded
def test_a_body_decodes_at_every_split(encoding: str | None, data: bytes) -> None:
    """A body cut in two anywhere decodes to the same."""
    for first, second in every_split(data):
        decoder = ContentDecoder(encoding)
        assert decoder.feed(first) + decoder.feed(second) + decoder.finish() == BODY
        assert decoder.fault is None


@pytest.mark.parametrize("encoding", ENCODERS)
@given(st.binary(max_size=2000))
def test_any_body_comes_back(encoding: str, body: bytes) -> None:
    """Whatever was encoded is what is decoded."""
    assert decode(ENCODERS[encoding](body), encoding) == (body, None)


@given(st.binary(max_size=600))
def test_any_raw_deflate_body_comes_back(body: bytes) -> None:
    """Deflate data without the zlib wrapper is told apart from data with it."""
    assert decode(raw_deflate(body), "deflate") == (body, None)


@pytest.mark.parametrize("encoding", [*ENCODERS, "gzip, zstd", "identity"])
@given(st.binary(max_size=400))
def test_no_body_raises(encoding: str, data: bytes) -> None:
    """Whatever the bytes, decoding comes to an end by itself."""
    decode(data, encoding, limit_bytes=100_000)


def test_what_is_flushed_is_given_at_once() -> None:
    """A part that the sender flushed decodes when it arrives, before the body ends."""
    compressor = zlib.compressobj(wbits=31)
    decoder = ContentDecoder("gzip")
    for part in (b"data: 1\n\n", b"data: 2\n\n"):
        assert decoder.feed(compressor.compress(part) + compressor.flush(zlib.Z_SYNC_FLUSH)) == part


@pytest.mark.parametrize("encoding", ENCODERS)
def test_an_empty_body_is_whole(encoding: str) -> None:
    """A response may name a coding and have no body."""
    assert decode(b"", encoding) == (b"", None)


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_body_that_is_cut_short_says_so(encoding: str) -> None:
    """A body that lacks its last byte has the fault of a cut."""
    _, fault = decode(ENCODERS[encoding](BODY)[:-1], encoding)
    assert fault == ContentFault(ContentFaultKind.CUT_SHORT, "the data ends before its coding does")


def test_a_single_byte_of_deflate_is_cut_short() -> None:
    """A byte that is kept until its wrapper is known is not forgotten."""
    _, fault = decode(b"\x78", "deflate")
    assert fault is not None
    assert fault.kind is ContentFaultKind.CUT_SHORT


def test_a_cut_body_gives_what_arrived() -> None:
    """What was flushed before a stream was cut is decoded."""
    compressor = zlib.compressobj(wbits=31)
    data = compressor.compress(BODY) + compressor.flush(zlib.Z_SYNC_FLUSH)
    decoded, fault = decode(data, "gzip")
    assert decoded == BODY
    assert fault is not None
    assert fault.kind is ContentFaultKind.CUT_SHORT


@pytest.mark.parametrize("encoding", ENCODERS)
def test_a_body_of_another_coding_is_damaged(encoding: str) -> None:
    """A plain body under a header that claims a coding is data, not an exception."""
    assert damaged(decode(b'{"error": {"message": "Bad Gateway"}}' * 20, encoding))


@pytest.mark.parametrize("encoding", ENCODERS)
def test_data_after_the_end_is_damage(encoding: str) -> None:
    """Bytes behind the end of the coding are not passed over in silence."""
    assert damaged(decode(ENCODERS[encoding](BODY) + b"garbage", encoding))


def test_damage_keeps_what_stands_before_it() -> None:
    """The parts before the damaged one are given, and nothing after it."""
    decoder = ContentDecoder("gzip, gzip")
    inner = gzip.compress(BODY)
    assert decoder.feed(gzip.compress(inner)) == BODY
    assert decoder.feed(b"garbage") == b""
    assert decoder.feed(gzip.compress(inner)) == b""
    assert damaged((decoder.finish(), decoder.fault))


@pytest.mark.parametrize(
    ("encoding", "detail"),
    [
        ("compress", "compress"),
        ("gzip, aws-chunked", "aws-chunked"),
        (", ".join(["gzip"] * 9), "9 codings on top of each other"),
    ],
)
def test_a_coding_that_is_not_known_says_so(encoding: str, detail: str) -> None:
    """An unknown coding, or too many of them, gives no bytes and its name."""
    fault = ContentFault(ContentFaultKind.UNKNOWN_ENCODING, detail)
    assert decode(BODY, encoding) == (b"", fault)


@pytest.mark.parametrize("encoding", [*ENCODERS, "identity"])
@pytest.mark.parametrize("is_split", [False, True])
def test_the_limit_cuts_the_body(encoding: str, is_split: bool) -> None:
    """A body longer than the limit is given up to the limit, and its rest is refused."""
    data = ENCODERS.get(encoding, bytes)(BODY)
    decoder = ContentDecoder(encoding, limit_bytes=100)
    pieces = [bytes([byte]) for byte in data] if is_split else [data]
    assert b"".join(decoder.feed(piece) for piece in pieces) == BODY[:100]
    assert decoder.fault == ContentFault(ContentFaultKind.OVER_LIMIT, "longer than 100 bytes")


def test_a_body_as_long_as_the_limit_is_whole() -> None:
    """The limit is the longest body that is allowed."""
    assert decode(gzip.compress(BODY), "gzip", limit_bytes=len(BODY)) == (BODY, None)


def zeros(compressor: "zlib._Compress", size_mb: int) -> bytes:
    """As many megabytes of zeros, compressed without being held."""
    megabyte = bytes(1 << 20)
    return b"".join(compressor.compress(megabyte) for _ in range(size_mb)) + compressor.flush()


@pytest.mark.parametrize(
    ("encoding", "wrap"),
    [
        ("gzip", bytes),
        ("gzip, gzip", gzip.compress),
        ("gzip, zstd", zstandard.compress),
        ("gzip, br", lambda data: brotli.compress(data, quality=1)),
    ],
)
def test_a_bomb_is_not_held_in_memory(encoding: str, wrap: Callable[[bytes], bytes]) -> None:
    """256 MB out of a small body end at the limit, with little memory used on the way."""
    bomb = wrap(zeros(zlib.compressobj(9, wbits=31), 256))
    tracemalloc.start()
    try:
        decoded, fault = decode(bomb, encoding, limit_bytes=1_000_000)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert decoded == bytes(1_000_000)
    assert fault == ContentFault(ContentFaultKind.OVER_LIMIT, "longer than 1000000 bytes")
    assert peak_bytes < 16_000_000


@pytest.mark.parametrize(
    ("encoding", "accepted", "is_read"),
    [
        ("", None, True),
        ("identity", None, True),
        ("gzip", None, False),
        ("gzip", "", False),
        ("gzip", "br, GZIP;q=0.5", True),
        ("x-gzip", "gzip", True),
        ("zstd", "gzip, br", False),
        ("gzip, br", "gzip", False),
        ("br", "*", True),
    ],
)
def test_a_client_reads_the_codings_that_it_names(
    encoding: str, accepted: str | None, is_read: bool
) -> None:
    """What it did not ask for is noise to it."""
    assert is_accepted(encoding, accepted) is is_read
