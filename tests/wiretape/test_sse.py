"""The event-stream codec, held against the HTML standard case by case and at every split."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from streams import GOLDEN, RESPONSES, GoldenStream, every_split

from wiretape.errors import CannotExpress
from wiretape.sse import SseDecoder, SseEvent, encode

golden = pytest.mark.parametrize("stream", GOLDEN, ids=lambda stream: stream.name)


def decode(*pieces: bytes) -> tuple[list[SseEvent], bytes]:
    """The events of a stream fed in these pieces, and its leftover."""
    decoder = SseDecoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    last, leftover = decoder.close()
    return events + last, leftover


def dispatched(data: bytes) -> list[tuple[str, str]]:
    """Type and data of the stream's events."""
    return [(event.event, event.data) for event in decode(data)[0]]


@golden
def test_a_golden_stream_decodes_to_its_events(stream: GoldenStream) -> None:
    """A stream fed whole gives the events and the leftover that the standard says."""
    events, leftover = decode(stream.data)
    assert [(e.event, e.data, e.id, e.retry_ms) for e in events] == list(stream.events)
    assert leftover == stream.leftover


@golden
def test_byte_by_byte_gives_the_same(stream: GoldenStream) -> None:
    """A stream fed one byte at a time gives the same events and ranges as fed whole."""
    assert decode(*(bytes([byte]) for byte in stream.data)) == decode(stream.data)


@golden
def test_every_split_in_two_gives_the_same(stream: GoldenStream) -> None:
    """A stream cut in two anywhere gives the same events and ranges as fed whole."""
    whole = decode(stream.data)
    for first, second in every_split(stream.data):
        assert decode(first, second) == whole


@golden
def test_ranges_and_leftover_tile_the_stream(stream: GoldenStream) -> None:
    """The ranges of the events, then the leftover, are the stream's bytes."""
    events, leftover = decode(stream.data)
    tiles = [stream.data[event.start : event.end] for event in events]
    assert b"".join([*tiles, leftover]) == stream.data


@golden
def test_each_block_decodes_alone_to_its_data(stream: GoldenStream) -> None:
    """The bytes from ``block_start`` to ``end`` hold the event and nothing else."""
    for event in decode(stream.data)[0]:
        block, leftover = decode(stream.data[event.block_start : event.end])
        assert [(e.event, e.data, e.block_start) for e in block] == [(event.event, event.data, 0)]
        assert leftover == b""


@golden
def test_encoding_and_decoding_again_gives_the_same_events(stream: GoldenStream) -> None:
    """Events written one after the other decode to the same types, data, ids and retries."""
    events, _ = decode(stream.data)
    written = b"".join(
        encode(event, previous) for previous, event in zip([None, *events], events, strict=False)
    )
    again, leftover = decode(written)
    assert [(e.event, e.data, e.id, e.retry_ms) for e in again] == list(stream.events)
    assert leftover == b""


@pytest.mark.parametrize("stream", RESPONSES, ids=lambda stream: stream.name)
def test_a_responses_stream_is_written_back_byte_for_byte(stream: GoldenStream) -> None:
    """Encoding the events of a Responses stream gives the bytes that the API sends."""
    assert b"".join(encode(event) for event in decode(stream.data)[0]) == stream.data


STREAM_BYTES = st.lists(
    st.sampled_from(
        [
            *(b"data", b"event", b"id", b"retry", b":", b" ", b"1", b"x", b"\0", b"\xff"),
            *(b"\n", b"\r", b"\r\n", b"\n\n", b"\xef\xbb\xbf", b"\xe2\x80\xa8"),
        ]
    ),
    max_size=40,
).map(b"".join)


@given(STREAM_BYTES, st.lists(st.integers(0, 200)))
@example(b"data: 1\r\r\n", [9])
@example(b"\xef\xbb\xbf\n\ndata\n\n", [1, 2])
def test_any_split_gives_the_same_events(data: bytes, cuts: list[int]) -> None:
    """Whatever the stream and wherever it is cut, events, ranges and leftover are the same."""
    places = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[a:b] for a, b in pairwise(places)]
    assert decode(*pieces) == decode(data)


@given(STREAM_BYTES)
def test_any_stream_is_tiled(data: bytes) -> None:
    """Whatever the bytes, none is lost: the ranges and the leftover join to the stream."""
    events, leftover = decode(data)
    assert b"".join([data[e.start : e.end] for e in events] + [leftover]) == data
    assert all(e.start <= e.block_start < e.end for e in events)


@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r")),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0")),
    st.none() | st.integers(0, 10**18 - 1),
)
def test_what_is_written_is_read(event: str, data: str, id: str, retry_ms: int | None) -> None:
    """Any event that a stream can carry comes back as it was."""
    size = len(encode(SseEvent(event, data, id, retry_ms, 0, 0, 0)))
    written = SseEvent(event, data, id, retry_ms, 0, 0, size)
    assert decode(encode(written)) == ([written], b"")


def test_the_type_lasts_for_one_event() -> None:
    """An event type does not stay in force for the next event."""
    assert dispatched(b"event: a\ndata: 1\n\ndata: 2\n\n") == [("a", "1"), ("message", "2")]


def test_the_last_type_of_a_block_counts() -> None:
    """A second ``event`` field replaces the first, even by nothing."""
    assert dispatched(b"event: a\nevent: b\ndata: 1\n\n") == [("b", "1")]
    assert dispatched(b"event: a\nevent:\ndata: 1\n\n") == [("message", "1")]


def test_a_type_without_data_is_forgotten() -> None:
    """A block without data dispatches nothing, and its type does not reach the next block."""
    assert dispatched(b"event: a\n\ndata: 1\n\n") == [("message", "1")]


def test_empty_data_is_data() -> None:
    """``data`` with an empty value dispatches an event whose data is empty."""
    assert dispatched(b"data:\n\n") == [("message", "")]


def test_field_names_are_exact() -> None:
    """Names differ by case and by spaces; unknown names are ignored."""
    assert dispatched(b"Data: 1\n data: 2\ndata : 3\nfoo: 4\ndata: 5\n\n") == [("message", "5")]


def test_only_a_space_is_removed_after_the_colon() -> None:
    """A tab after the colon belongs to the value."""
    assert dispatched(b"data:\t1\ndata: \t2\n\n") == [("message", "\t1\n\t2")]


def test_only_the_first_colon_separates() -> None:
    """A value may hold colons."""
    assert dispatched(b"data: a: b:c\n\n") == [("message", "a: b:c")]


def test_a_comment_inside_a_block_is_ignored() -> None:
    """A line that begins with a colon changes nothing in the event around it."""
    assert dispatched(b"data: 1\n:data: 2\n:\ndata: 3\n\n") == [("message", "1\n3")]


def test_an_id_with_nul_is_ignored() -> None:
    """An id that holds U+0000 leaves the id in force as it was."""
    events, _ = decode(b"id: 1\ndata: a\n\nid: 2\0\ndata: b\n\n")
    assert [event.id for event in events] == ["1", "1"]


@pytest.mark.parametrize("value", [b"", b"1000x", b"-1", b" 5", b"1.5", "٣".encode()])
def test_a_retry_that_is_not_all_digits_is_ignored(value: bytes) -> None:
    """``retry`` counts only when its value is ASCII digits."""
    events, _ = decode(b"retry: 1000\nretry: " + value + b"\ndata: a\n\n")
    assert events[0].retry_ms == 1000


def test_a_retry_of_many_digits_is_held_within_a_store() -> None:
    """A number of 10,000 digits is cut down to 18 of them; leading zeros do not count."""
    events, _ = decode(
        b"retry: " + b"8" * 10_000 + b"\ndata: a\n\nretry: " + b"0" * 9_999 + b"5\ndata: b\n\n"
    )
    assert [event.retry_ms for event in events] == [999_999_999_999_999_999, 5]


def test_only_one_byte_order_mark_is_removed() -> None:
    """The second of two marks belongs to the first field's name, which is then unknown."""
    assert dispatched(b"\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n") == []


def test_an_event_is_given_with_the_end_of_its_blank_line() -> None:
    """An event comes out of the feed that ends its blank line, not later."""
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\n") == []
    assert [event.data for event in decoder.feed(b"\ndata: 2\r\n\r\n")] == ["1", "2"]


def test_a_blank_line_that_ends_in_cr_waits_for_one_byte() -> None:
    """After a CR the event waits, takes an LF into its range, and is not lost at the end."""
    decoder = SseDecoder()
    assert decoder.feed(b"data: 1\r\n\r") == []
    assert decoder.feed(b"\n") == [SseEvent("message", "1", "", None, 0, 0, 11)]
    assert decoder.feed(b"data: 2\r\r") == []
    assert decoder.close() == ([SseEvent("message", "2", "", None, 11, 11, 20)], b"")


def test_blocks_that_dispatch_nothing_lie_before_the_next_event() -> None:
    """Comments and blocks without data stand between ``start`` and ``block_start``."""
    events, leftover = decode(b"data: 1\n\n: ping\n\nevent: a\n\ndata: 2\n\n: bye\n\n")
    assert [(e.start, e.block_start, e.end) for e in events] == [(0, 0, 9), (9, 27, 36)]
    assert leftover == b": bye\n\n"


def test_blank_lines_alone_dispatch_nothing() -> None:
    """A stream of line ends gives no event, and hands every byte back."""
    assert decode(b"\n\r\n\r\r\n") == ([], b"\n\r\n\r\r\n")


def test_a_long_line_in_many_pieces_comes_out_whole() -> None:
    """A line of 20 MB fed in pieces of 1 kB is one event with all its data."""
    stream = b"data: " + b"x" * 20_000_000 + b"\n\n"
    events, leftover = decode(*(stream[at : at + 1024] for at in range(0, len(stream), 1024)))
    assert [(len(e.data), e.end) for e in events] == [(20_000_000, 20_000_008)]
    assert leftover == b""


@pytest.mark.parametrize(
    "event",
    [
        SseEvent("a\nb", "", "", None, 0, 0, 0),
        SseEvent("", "", "", None, 0, 0, 0),
        SseEvent("a", "1\r2", "", None, 0, 0, 0),
        SseEvent("a", "", "1\0", None, 0, 0, 0),
        SseEvent("a", "", "1\n2", None, 0, 0, 0),
        SseEvent("a", "\ud800", "", None, 0, 0, 0),
    ],
)
def test_what_no_stream_can_carry_is_refused(event: SseEvent) -> None:
    """A value that would not decode to itself is refused, not changed."""
    with pytest.raises(CannotExpress):
        encode(event)
