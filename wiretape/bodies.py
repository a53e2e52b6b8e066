"""Stores each request body as its difference to an earlier one.

A coding agent sends the whole conversation again with every round, so bodies grow with the
square of the rounds. Each is compressed with a similar earlier body as dictionary, which leaves
about the size of what is new; exact bytes come back. Every ``_CHAIN`` links a body is stored
whole, so that reading one at random stays cheap.

A body that the client compressed with zstd hides its likeness to the last one. Where compressing
its content again gives the same bytes, the content is stored in its place, and ``recipe`` says
how to come back to what was sent.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import zstandard

_CHAIN: Final = 16
_CANDIDATES: Final = 8
_CANDIDATE_BYTES: Final = 16 * 1024 * 1024
_LEVEL: Final = 9
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A body as the tape holds it.

    ``base`` is the id of the body whose content serves as dictionary; ``depth`` counts the links
    to a whole one; ``recipe`` is ``None``, or the zstd level that turns the content into what was
    sent; ``size_bytes`` is the size of what was sent.
    """

    size_bytes: int
    base: int | None
    depth: int
    recipe: int | None
    data: bytes


class BodyEncoder:
    """Chooses a base for each body and encodes it; remembers the last few as bases."""

    def __init__(self) -> None:
        self._recent: OrderedDict[int, tuple[int, bytes]] = OrderedDict()

    def encode(self, sent: bytes) -> tuple[StoredBody, bytes]:
        """How to store ``sent``, and its content (to be given to :meth:`remember`)."""
        recipe, content = _find_recipe(sent)
        base = self._choose_base(content)
        if base is None:
            stored = StoredBody(len(sent), None, 0, recipe, _compress(content, None))
        else:
            depth, dictionary = self._recent[base]
            data = _compress(content, dictionary)
            stored = StoredBody(len(sent), base, depth + 1, recipe, data)
        return stored, content

    def remember(self, body: int, stored: StoredBody, content: bytes) -> None:
        """Makes the body stored under the id ``body`` a base for later ones."""
        self._recent[body] = (stored.depth, content)
        while len(self._recent) > 1 and (
            len(self._recent) > _CANDIDATES
            or sum(len(content) for _, content in self._recent.values()) > _CANDIDATE_BYTES
        ):
            self._recent.popitem(last=False)

    def copy(self) -> "BodyEncoder":
        """An encoder that remembers the same bodies and goes its own way from here."""
        other = BodyEncoder()
        other._recent = self._recent.copy()
        return other

    def _choose_base(self, content: bytes) -> int | None:
        best, best_length = None, 64  # a shorter common start is no sign of likeness
        for body, (depth, candidate) in self._recent.items():
            length = _common_prefix(candidate, content)
            if length >= best_length and depth + 1 < _CHAIN:
                best, best_length = body, length
        return best


def decode(stored: StoredBody, base: bytes | None) -> bytes:
    """The content of a stored body, given the content of its base.

    Raises:
        ValueError: the data is damaged.
    """
    dictionary = None if base is None else _dictionary(base)
    try:
        return zstandard.ZstdDecompressor(
            dict_data=dictionary, max_window_size=_MAX_WINDOW
        ).decompress(stored.data)
    except zstandard.ZstdError as error:
        raise ValueError(f"a stored request body is damaged: {error}") from error


def as_sent(stored: StoredBody, content: bytes) -> bytes:
    """The bytes that crossed the wire, from the content of a stored body."""
    return content if stored.recipe is None else _recompress(content, stored.recipe)


_MAX_WINDOW: Final = 1 << 31


def _compress(content: bytes, base: bytes | None) -> bytes:
    # The window must span the whole base, or its start cannot be referred to.
    span = len(content) + (0 if base is None else len(base))
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL,
        source_size=len(content),
        window_log=max(17, min(30, span.bit_length())),
        enable_ldm=base is not None,
        write_content_size=True,
        write_dict_id=False,
    )
    dictionary = None if base is None else _dictionary(base)
    return zstandard.ZstdCompressor(dict_data=dictionary, compression_params=parameters).compress(
        content
    )


def _dictionary(base: bytes) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(base, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def _find_recipe(sent: bytes) -> tuple[int | None, bytes]:
    if not sent.startswith(_ZSTD_MAGIC):
        return None, sent
    try:
        content = zstandard.ZstdDecompressor().decompressobj().decompress(sent)
    except zstandard.ZstdError:
        return None, sent
    for level in (3, 1):
        if _recompress(content, level) == sent:
            return level, content
    return None, sent


def _recompress(content: bytes, level: int) -> bytes:
    # A stream of unknown length, the way HTTP clients compress.
    compressor = zstandard.ZstdCompressor(level=level, write_content_size=False).compressobj()
    return compressor.compress(content) + compressor.flush()


def _common_prefix(left: bytes, right: bytes) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
