"""Request bodies: exact bytes back, at the size of what is new."""

import json
import random

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from wiretape.bodies import BodyEncoder, StoredBody, as_sent, decode

WORDS = [f"{random.Random(n).getrandbits(40):x}" for n in range(4000)]


class Shelf:
    """Bodies kept in a list, as the tape keeps them in a table."""

    def __init__(self) -> None:
        self.stored: list[StoredBody] = []
        self._encoder = BodyEncoder()

    def put(self, sent: bytes) -> int:
        stored, content = self._encoder.encode(sent)
        self.stored.append(stored)
        self._encoder.remember(len(self.stored) - 1, stored, content)
        return len(self.stored) - 1

    def content(self, number: int) -> bytes:
        stored = self.stored[number]
        return decode(stored, None if stored.base is None else self.content(stored.base))

    def get(self, number: int) -> bytes:
        return as_sent(self.stored[number], self.content(number))

    @property
    def size_bytes(self) -> int:
        return sum(len(stored.data) for stored in self.stored)


def conversation(rounds: int) -> list[bytes]:
    """The bodies of a session: each round adds reasoning, a call and its output of real size."""
    chance = random.Random(1)
    items: list[dict[str, str]] = [{"role": "developer", "content": " ".join(WORDS[:2000])}]
    bodies = []
    for number in range(rounds):
        said = " ".join(chance.choices(WORDS, k=40))
        shown = " ".join(chance.choices(WORDS, k=120))
        items += [
            {"type": "function_call", "call_id": f"call_{number}", "arguments": said},
            {"type": "function_call_output", "call_id": f"call_{number}", "output": shown},
        ]
        bodies.append(json.dumps({"model": "gpt-5.2-codex", "input": items}).encode())
    return bodies


def as_client_compresses(content: bytes, level: int = 3) -> bytes:
    """A zstd stream of unknown length, as an HTTP client writes it."""
    compressor = zstandard.ZstdCompressor(level=level, write_content_size=False).compressobj()
    return compressor.compress(content) + compressor.flush()


@given(st.lists(st.binary(max_size=2000), max_size=12))
def test_any_bodies_come_back(bodies: list[bytes]) -> None:
    """Exact bytes, whatever they are, empty and equal ones included."""
    shelf = Shelf()
    for body in bodies:
        shelf.put(body)
    assert [shelf.get(number) for number in range(len(bodies))] == bodies


@given(st.binary(max_size=3000), st.lists(st.tuples(st.integers(0, 3000), st.binary(max_size=80))))
def test_edited_bodies_come_back(first: bytes, edits: list[tuple[int, bytes]]) -> None:
    """Each body differs from the last by an insertion somewhere, like a conversation."""
    bodies = [first]
    for at, new in edits:
        bodies.append(bodies[-1][:at] + new + bodies[-1][at:])
    shelf = Shelf()
    for body in bodies:
        shelf.put(body)
    assert [shelf.get(number) for number in range(len(bodies))] == bodies


def test_a_conversation_costs_what_is_new(capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred rounds take about a hundredth of their size, and every byte comes back."""
    bodies = conversation(100)
    shelf = Shelf()
    for body in bodies:
        shelf.put(body)
    sent_bytes = sum(map(len, bodies))
    with capsys.disabled():
        print(
            f"\n100 rounds: {sent_bytes / 1e6:.2f} MB of bodies in {shelf.size_bytes / 1e6:.3f} MB"
            f" ({sent_bytes / shelf.size_bytes:.0f} to 1)"
        )
    assert shelf.size_bytes < sent_bytes / 50
    assert [shelf.get(number) for number in range(100)] == bodies


@pytest.mark.parametrize("level", [1, 3])
def test_a_compressed_conversation_costs_what_is_new_too(level: int) -> None:
    """Bodies that the client compressed come back exact, and are kept by their content."""
    sent = [as_client_compresses(body, level) for body in conversation(20)]
    shelf = Shelf()
    for body in sent:
        shelf.put(body)
    assert [shelf.get(number) for number in range(20)] == sent
    assert [stored.recipe for stored in shelf.stored] == [level] * 20
    assert shelf.size_bytes < sum(map(len, sent)) / 5


@pytest.mark.parametrize(
    "sent",
    [
        zstandard.ZstdCompressor(level=19).compress(b"as no client does" * 100),
        as_client_compresses(b"whole" * 100)[:-4],
        as_client_compresses(b"followed") + b"by more",
        b"\x28\xb5\x2f\xfd and then nothing of the kind",
    ],
    ids=["another level", "cut", "trailing", "only the magic"],
)
def test_compression_that_cannot_be_repeated_is_kept_as_sent(sent: bytes) -> None:
    """Exact bytes come first: without a recipe the compressed form itself is stored."""
    shelf = Shelf()
    shelf.put(sent)
    assert shelf.get(0) == sent
    assert shelf.stored[0].recipe is None


def test_a_bomb_is_not_unpacked() -> None:
    """A few compressed kilobytes that stand for 100 MB are stored as they came."""
    bomb = as_client_compresses(bytes(100 * 1024 * 1024))
    stored, content = BodyEncoder().encode(bomb)
    assert stored.recipe is None
    assert content == bomb


def test_reading_at_random_stays_cheap() -> None:
    """The hundredth body is decoded in fewer than 22 steps: one chain, then from stem to stem."""
    shelf = Shelf()
    for body in conversation(100):
        shelf.put(body)

    def steps(number: int) -> int:
        base = shelf.stored[number].base
        return 1 if base is None else 1 + steps(base)

    assert [steps(number) for number in (0, 1, 15, 16, 17, 32, 99)] == [1, 2, 16, 2, 3, 3, 10]
    assert max(map(steps, range(100))) == 21
    assert [number for number in range(100) if shelf.stored[number].base is None] == [0]


def test_two_conversations_that_take_turns_both_stay_small() -> None:
    """Each body is kept by its own conversation, not by the one that spoke last."""
    shelf = Shelf()
    main = conversation(30)
    other = [body.replace(b"gpt-5.2-codex", b"gpt-review") for body in conversation(30)]
    for ours, theirs in zip(main, other, strict=True):
        shelf.put(ours)
        shelf.put(theirs)
    assert shelf.get(59) == other[29]
    assert shelf.size_bytes < sum(map(len, main + other)) / 15


@pytest.mark.parametrize("data", [b"", b"no zstd", b"\x28\xb5\x2f\xfd" + b"\xff" * 20])
def test_a_damaged_body_is_said(data: bytes) -> None:
    """Damage is a ValueError that names what is damaged."""
    with pytest.raises(ValueError, match="a stored request body is damaged"):
        decode(StoredBody(10, None, 0, None, data), None)
