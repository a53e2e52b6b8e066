"""Content codings: the body behind ``content-encoding``, decoded as its bytes arrive.

Knows gzip, deflate (zlib or raw), br, zstd, and lists of them (RFC 9110 8.4); knows nothing of
what a body holds. A fault of the wire is data: nothing here raises for any header or any body.
The decoder gives what it could decode, then nothing more, and says why in ``fault``.

Memory is bounded by the limit and not by the body: data goes through the layers in slices, so
that a small body that decodes to gigabytes ends at the limit with a few megabytes held.
"""

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any, Protocol

import brotli  # type: ignore[import-untyped]
import zstandard

_SLICE_BYTES = 256  # 32 kB are the most that zstd makes of each byte
_BROTLI_PIECE_BYTES = 1 << 16
_MOST_LAYERS = 8

_DAMAGE = (zlib.error, brotli.error, zstandard.ZstdError)


class ContentFaultKind(StrEnum):
    """What kept a body from being decoded whole."""

    UNKNOWN_ENCODING = "unknown_encoding"
    """The header names a coding that is not known here; nothing was decoded."""
    DAMAGED = "damaged"
    """The data is not what the header says, or stops being it."""
    CUT_SHORT = "cut_short"
    """The data ended before the coding did: a stream that was hung up on."""
    OVER_LIMIT = "over_limit"
    """The decoded body is longer than the limit; everything up to the limit was given."""


@dataclass(frozen=True, slots=True)
class ContentFault:
    """Why a decoded body is not whole. ``detail`` is for a person."""

    kind: ContentFaultKind
    detail: str


class ContentDecoder:
    """Decodes one body. ``feed()`` takes its bytes as they arrive; ``finish()`` ends it.

    ``encoding`` is the header's value (several headers joined by commas), ``None`` for none.
    ``fault`` is ``None`` as long as everything decodes; after a fault ``feed()`` gives no more.
    Of the slice in which damage shows, what stands before the damage may be missing too.
    """

    def __init__(self, encoding: str | None, limit_bytes: int | None = None) -> None:
        self.fault: ContentFault | None = None
        self._limit_bytes = limit_bytes
        self._given_bytes = 0
        names = [name.strip().lower() for name in (encoding or "").split(",")]
        names = [name for name in names if name not in ("", "identity")]
        unknown = [name for name in names if name not in _LAYERS]
        if unknown or len(names) > _MOST_LAYERS:
            detail = ", ".join(unknown) or f"{len(names)} codings on top of each other"
            self.fault = ContentFault(ContentFaultKind.UNKNOWN_ENCODING, detail)
            names = []
        self._layers = [_LAYERS[name]() for name in reversed(names)]

    def feed(self, data: bytes) -> bytes:
        """What these bytes decode to, as far as it can be known yet."""
        decoded: list[bytes] = []
        if self.fault is not None:
            return b""
        try:
            for piece in self._through_layers(data):
                decoded.append(piece)
                self._given_bytes += len(piece)
                if self._limit_bytes is not None and self._given_bytes > self._limit_bytes:
                    decoded[-1] = piece[: self._limit_bytes - self._given_bytes]
                    detail = f"longer than {self._limit_bytes} bytes"
                    self.fault = ContentFault(ContentFaultKind.OVER_LIMIT, detail)
                    break
        except _DAMAGE as error:
            self.fault = ContentFault(ContentFaultKind.DAMAGED, str(error))
        return b"".join(decoded)

    def finish(self) -> bytes:
        """The body is over: the rest of what it decodes to, and ``fault`` if it is not whole.

        The rest is empty, because all of these codings give what they can in ``feed()``; it is
        returned for the custom of streaming decoders, ``feed(…) + finish()``.
        """
        if self.fault is None and not all(layer.is_whole for layer in self._layers):
            detail = "the data ends before its coding does"
            self.fault = ContentFault(ContentFaultKind.CUT_SHORT, detail)
        return b""

    def _through_layers(self, data: bytes) -> Iterator[bytes]:
        """The decoded data piece by piece, so that no layer ever holds the whole of it."""
        pieces: Iterator[bytes] = iter([data])
        for layer in self._layers:
            pieces = chain.from_iterable(map(layer.decode, _sliced(pieces)))
        return pieces


def decode(
    data: bytes, encoding: str | None, limit_bytes: int | None = None
) -> tuple[bytes, ContentFault | None]:
    """A whole body decoded, and what kept it from being decoded whole."""
    decoder = ContentDecoder(encoding, limit_bytes)
    decoded = decoder.feed(data) + decoder.finish()
    return decoded, decoder.fault


def _sliced(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for at in range(0, len(piece), _SLICE_BYTES):
            yield piece[at : at + _SLICE_BYTES]


class _Layer(Protocol):
    """One coding being taken off. ``decode()`` raises one of ``_DAMAGE``."""

    def decode(self, data: bytes) -> Iterator[bytes]: ...

    @property
    def is_whole(self) -> bool:
        """Whether the data may end here."""


class _Members:
    """Members that stand one after the other and decode to one body.

    gzip: RFC 1952 2.2; zstd: RFC 8878 3.1. ``start`` gives a decompressor for one member.
    """

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start = start
        self._member: Any = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member is None:
                self._member = self._start()
            yield self._member.decompress(data)
            if not self._member.eof:
                return
            data = self._member.unused_data
            self._member = None

    @property
    def is_whole(self) -> bool:
        return self._member is None


class _Deflate:
    """zlib data (RFC 1950), or the raw deflate data (RFC 1951) that some servers send for it."""

    def __init__(self) -> None:
        self._head = b""
        self._inflate: Any = None

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._inflate is None:
            self._head += data
            if len(self._head) < 2:
                return
            data = self._head
            is_zlib = data[0] & 0x8F == 0x08 and int.from_bytes(data[:2]) % 31 == 0
            self._inflate = zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS)
        yield self._inflate.decompress(data)
        if self._inflate.unused_data:
            raise zlib.error("data after the end of the deflate stream")

    @property
    def is_whole(self) -> bool:
        return bool(self._inflate.eof) if self._inflate is not None else not self._head


class _Brotli:
    """Brotli data (RFC 7932)."""

    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()
        self._has_begun = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        self._has_begun = True
        while True:
            yield self._decompressor.process(data, output_buffer_limit=_BROTLI_PIECE_BYTES)
            if self._decompressor.is_finished() or self._decompressor.can_accept_more_data():
                return
            data = b""

    @property
    def is_whole(self) -> bool:
        return bool(self._decompressor.is_finished()) or not self._has_begun


def _gzip() -> _Layer:
    return _Members(lambda: zlib.decompressobj(zlib.MAX_WBITS | 16))


def _zstd() -> _Layer:
    return _Members(zstandard.ZstdDecompressor().decompressobj)


_LAYERS: dict[str, Callable[[], _Layer]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _Deflate,
    "br": _Brotli,
    "zstd": _zstd,
}


def is_accepted(encoding: str, accepted: str | None) -> bool:
    """Whether a client that sends ``accepted`` as its ``accept-encoding`` reads this coding.

    One that names a coding decodes it; one that names none reads the bytes as they are.
    """
    names = _names(accepted or "") | {"identity"}
    return "*" in names or _names(encoding) <= names


def _names(header: str) -> set[str]:
    names = (name.partition(";")[0].strip().lower() for name in header.split(","))
    return {name.removeprefix("x-") for name in names if name}
