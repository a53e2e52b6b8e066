"""Document 002 §7: the fixture file that stands for a response."""

from wiretape.client.decoding import Ignored
from wiretape.client.dialects import DOCUMENTED
from wiretape.client.events import Completed, Created
from wiretape.client.fixture import read_fixture
from wiretape.client.streams import ResponseStream
from wiretape.client.transport import Transport
from wiretape.client.wire import Ended, Said

CREATED = '{"type":"response.created","response":{}}'
COMPLETED = '{"type":"response.completed","response":{"id":"r1"}}'


def test_7_each_data_line_is_an_event() -> None:
    """An event stands on one line; no empty line is needed between two of them."""
    assert read_fixture(f"data: {CREATED}\ndata: {COMPLETED}\n") == (CREATED, COMPLETED)


def test_7_an_event_line_means_nothing() -> None:
    """``event:`` lines, comments and empty lines give no event."""
    text = f"event: response.created\ndata: {CREATED}\n\n: alive\r\ndata: {COMPLETED}\r\n"
    assert read_fixture(text) == (CREATED, COMPLETED)


def test_7_an_event_on_two_lines_falls_apart() -> None:
    """A second ``data:`` line is an event of its own."""
    assert read_fixture("data: {\ndata: }\n") == ("{", "}")


def test_7_a_last_line_without_an_end_counts() -> None:
    """The line end at the end of the file may be missing."""
    assert read_fixture(f"data: {COMPLETED}") == (COMPLETED,)
    assert read_fixture("") == ()


def test_7_an_unusual_line_separator_is_no_line_end() -> None:
    """U+2028 may stand in a line."""
    assert read_fixture("data: a\u2028b\n") == ("a\u2028b",)


def test_7_fixture_events_go_through_the_same_reader() -> None:
    """What a fixture says is read as a stream from the network would be."""
    stream = ResponseStream(Transport.SSE, DOCUMENTED)
    text = f"data: {CREATED}\ndata: nonsense\ndata: {COMPLETED}\n"
    happenings = [*map(Said, read_fixture(text)), Ended()]
    given = [decoded for happening in happenings for decoded in stream.receive(happening)]
    assert given == [Created(), Ignored("not an event", "nonsense"), Completed("r1")]
