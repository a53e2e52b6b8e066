"""Stores each request body as its difference to an earlier one.

A coding agent sends the whole conversation again with every round, so bodies grow with the
square of the rounds. Each is compressed with a similar earlier body as dictionary, which leaves
about the size of what is new; exact bytes come back. The bodies of a conversation form a chain,
each building on the last. After ``_CHAIN`` of them comes a stem, which builds on the stem before
it instead, so that reading one at random takes few steps.

A body that the client compressed with zstd hides its likeness to the last one. Where compressing
its content again gives the same bytes, the content is stored in its place, and ``recipe`` says
how to come back to what was sent. Another version of the zstd library may compress the same
content into other bytes: on such a machine the content comes back exactly, its compressed form
need not.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import zstandard

_CHAIN: Final = 16
_CANDIDATES: Final = 8
_LIKENESS_BYTES: Final = 64
"""A shorter common beginning is no sign that two bodies belong together."""

_CANDIDATE_BYTES: Final = 16 * 1024 * 1024
_LEVEL: Final = 9
_MAX_WINDOW_BYTES: Final = 1 << 31
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_SENT_LEVELS: Final = (3, 1)
"""The zstd levels that clients are known to compress with."""

_CONTENT_LIMIT_BYTES: Final = 64 * 1024 * 1024
"""A few compressed bytes may stand for any amount: what is larger is stored as it was sent."""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A body as the tape holds it.

    ``base`` is the id of the body whose content serves as dictionary, ``None`` where the body is
    stored whole; ``depth`` counts the links to its stem, which has 0; ``recipe`` is ``None``, or
    the zstd level that turns the content into what was sent; ``size_bytes`` is the size of what
    was sent.
    """

    size_bytes: int
    base: int | None
    depth: int
    recipe: int | None
    data: bytes


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A body that later ones may build on."""

    content: bytes
    depth: int
    stem: int


class BodyEncoder:
    """Chooses a base for each body and encodes it; remembers the last few as bases."""

    def __init__(self) -> None:
        self._recent: OrderedDict[int, _Candidate] = OrderedDict()

    def encode(self, sent: bytes) -> tuple[StoredBody, bytes]:
        """How to store ``sent``, and its content (to be given to :meth:`remember`)."""
        recipe, content = _find_recipe(sent)
        like = self._most_like(content)
        base: int | None = None
        depth = 0
        if like is not None:
            base, depth = like, self._recent[like].depth + 1
            if depth == _CHAIN:
                base, depth = self._recent[like].stem, 0
        candidate = None if base is None else self._recent.get(base)
        if candidate is None:
            return StoredBody(len(sent), None, 0, recipe, _compress(content, None)), content
        data = _compress(content, candidate.content)
        return StoredBody(len(sent), base, depth, recipe, data), content

    def remember(self, body: int, stored: StoredBody, content: bytes) -> None:
        """Makes the body stored under the id ``body`` a base for later ones."""
        stem = body
        if stored.base is not None and stored.depth > 0:
            stem = self._recent[stored.base].stem
        self._recent[body] = _Candidate(content, stored.depth, stem)
        # Needed for as long as the conversation goes on, but only once in a chain.
        if stem in self._recent:
            self._recent.move_to_end(stem)
        while len(self._recent) > 1 and (
            len(self._recent) > _CANDIDATES
            or sum(len(each.content) for each in self._recent.values()) > _CANDIDATE_BYTES
        ):
            self._recent.popitem(last=False)

    def copy(self) -> "BodyEncoder":
        """An encoder that remembers the same bodies and goes its own way from here."""
        other = BodyEncoder()
        other._recent = self._recent.copy()
        return other

    def _most_like(self, content: bytes) -> int | None:
        length, body = max(
            ((_common_prefix(each.content, content), body) for body, each in self._recent.items()),
            default=(0, 0),
        )
        return body if length >= _LIKENESS_BYTES else None


def decode(stored: StoredBody, base: bytes | None) -> bytes:
    """The content of a stored body, given the content of its base.

    Raises:
        ValueError: the data is damaged.
    """
    dictionary = None if base is None else _dictionary(base)
    try:
        return zstandard.ZstdDecompressor(
            dict_data=dictionary, max_window_size=_MAX_WINDOW_BYTES
        ).decompress(stored.data)
    except (zstandard.ZstdError, MemoryError) as error:
        # A damaged header may claim any size.
        raise ValueError(f"a stored request body is damaged: {error}") from error


def as_sent(stored: StoredBody, content: bytes) -> bytes:
    """The bytes that crossed the wire, from the content of a stored body."""
    return content if stored.recipe is None else _recompress(content, stored.recipe)


def _compress(content: bytes, base: bytes | None) -> bytes:
    # The window must span the whole base, or its start cannot be referred to.
    span = len(content) + (0 if base is None else len(base))
    parameters = zstandard.ZstdCompressionParameters.from_level(
        _LEVEL,
        source_size=len(content),
        window_log=max(17, min(30, span.bit_length())),
        enable_ldm=base is not None,
        write_content_size=True,
        write_checksum=True,
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
        with zstandard.ZstdDecompressor().stream_reader(sent) as reader:
            content = reader.read(_CONTENT_LIMIT_BYTES + 1)
    except zstandard.ZstdError:
        return None, sent
    if len(content) <= _CONTENT_LIMIT_BYTES:
        for level in _SENT_LEVELS:
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
