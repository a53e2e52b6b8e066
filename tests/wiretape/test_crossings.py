"""What crossed, event by event, in order."""

import gzip
from collections.abc import Iterable

from timed_tapes import EVENT_STREAM, JSON_BODY, TapeMaker, ask, completed, created, delta, sse

from wiretape.crossings import Crossing, all_crossings, crossings_of
from wiretape.facts import EndKind, PieceKind, Sender


def crossings(maker: TapeMaker) -> list[Crossing]:
    """Everything that crossed on the tape."""
    with maker.read() as reader:
        return list(all_crossings(reader))


def brief(found: Iterable[Crossing]) -> list[tuple[int, int, str]]:
    """When (ms), in which exchange, and what."""
    return [(each.at_us // 1000, each.exchange, each.type) for each in found]


def test_a_streamed_answer_is_its_events(maker: TapeMaker) -> None:
    """Head, events by their own type with their size on the wire, end."""
    body = ask("hi")
    post = maker.post(1, body)
    post.head(5)
    post.events(7, created("resp_1"), delta("a"))
    post.events(9, completed("resp_1"))
    post.end(10)
    found = crossings(maker)
    assert brief(found) == [
        (1, 1, "http.request"),
        (5, 1, "http.response"),
        (7, 1, "response.created"),
        (7, 1, "response.output_text.delta"),
        (9, 1, "response.completed"),
        (10, 1, "end"),
    ]
    assert found[0].summary == "POST https://api.openai.com:443/v1/responses"
    assert found[1].summary == "200 OK"
    assert found[2].size_bytes == len(sse(created("resp_1")))
    assert found[3].text == '{"type": "response.output_text.delta", "delta": "a"}'
    assert found[5].summary == "complete"


def test_an_event_has_the_time_of_the_chunk_that_brings_its_end(maker: TapeMaker) -> None:
    """A stream cut anywhere into chunks gives the same events."""
    stream = sse(created()) + sse(completed())
    post = maker.post(0, ask("hi"))
    post.head(1)
    for at, byte in enumerate(stream):
        post.chunk(10 + at, bytes([byte]))
    found = [each for each in crossings(maker) if each.type.startswith("response.")]
    assert brief(found) == [
        (10 + len(sse(created())) - 1, 1, "response.created"),
        (10 + len(stream) - 1, 1, "response.completed"),
    ]


def test_a_coded_stream_is_decoded(maker: TapeMaker) -> None:
    """The events behind ``content-encoding``."""
    post = maker.post(0, ask("hi"))
    post.head(1, headers=(*EVENT_STREAM, ("Content-Encoding", "gzip")))
    post.chunk(2, gzip.compress(sse(created()) + sse(completed())))
    assert [each.type for each in crossings(maker)][2:] == [
        "response.created",
        "response.completed",
    ]


def test_a_stream_that_does_not_say_what_it_is_counts_as_asked_for(maker: TapeMaker) -> None:
    """Without a content type, the request's ``accept`` decides; of an error page it does not."""
    for status in (200, 500):
        post = maker.post(status, ask("hi"), (("accept", "text/event-stream"),))
        post.head(status + 1, status, ())
        post.events(status + 2, created())
    assert [each.type for each in crossings(maker) if each.sender is Sender.SERVER] == [
        "http.response",
        "response.created",
        "http.response",
        "http.body",
    ]


def test_an_event_without_a_type_goes_by_its_name(maker: TapeMaker) -> None:
    """``event:`` where there is one, ``message`` where not; the chat wire's sentinel as it is."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.chunk(2, b'event: ping\ndata: {}\n\ndata: {"a":[]}\n\ndata: [DONE]\n\n')
    assert [each.type for each in crossings(maker)][2:] == ["ping", "message", "[DONE]"]


def test_a_chunk_of_a_chat_goes_by_what_it_is(maker: TapeMaker) -> None:
    """It holds choices; whether it says what it is as well, or not, as some servers."""
    chunk = {"choices": []}
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.events(2, chunk | {"object": "chat.completion.chunk"}, chunk)
    post.events(2, {"choices": 1}, chunk | {"type": "error"})
    post.chunk(3, b'event: mine\ndata: {"choices":[]}\n\n')
    assert [each.type for each in crossings(maker)][2:] == [
        "chat.completion.chunk",
        "chat.completion.chunk",
        "message",
        "error",
        "mine",
    ]


def test_a_comment_is_a_sign_of_life(maker: TapeMaker) -> None:
    """A chunk of comments alone is told; one beside an event is part of the event's bytes."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.chunk(2, b": alive\n\n")
    post.chunk(3, b": alive\n\n" + sse(created()))
    post.chunk(4, b'data: "a\n')
    post.chunk(5, b": within an event\n")
    post.chunk(6, b'data: b"\n\n')
    found = crossings(maker)[2:]
    assert brief(found) == [
        (2, 1, "sse.comment"),
        (3, 1, "response.created"),
        (5, 1, "sse.comment"),
        (6, 1, "message"),
    ]
    assert found[0].text == ": alive\n\n"


def test_a_colon_within_a_line_begins_no_comment(maker: TapeMaker) -> None:
    """A chunk that goes on with a cut line is no comment, whatever it begins with."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    for piece in (b'data: {"type"', b':"response.cre', b'ated"}\n\n'):
        post.chunk(2, piece)
    assert [each.type for each in crossings(maker)][2:] == ["response.created"]


def test_what_is_no_whole_event_is_told_at_the_end(maker: TapeMaker) -> None:
    """The rest of a cut stream, with its size and its text."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.chunk(2, sse(created()) + b'data: {"type":"resp')
    post.end(3, EndKind.SERVER_CLOSED, Sender.SERVER)
    rest = crossings(maker)[-2]
    assert rest == Crossing(
        2000, 1, Sender.SERVER, "http.body", 19, 'data: {"type":"resp', "no whole event"
    )


def test_comments_at_the_end_are_no_rest(maker: TapeMaker) -> None:
    """A stream that ends with signs of life ends well."""
    post = maker.post(0, ask("hi"))
    post.head(1)
    post.chunk(2, sse(created()) + b": alive\n\n")
    post.end(3)
    assert [each.type for each in crossings(maker)][2:] == ["response.created", "end"]


def test_damage_to_a_coding_is_told(maker: TapeMaker) -> None:
    """What kept a stream from being decoded."""
    post = maker.post(0, ask("hi"))
    post.head(1, headers=(*EVENT_STREAM, ("content-encoding", "gzip")))
    post.chunk(2, gzip.compress(sse(created()))[:-4])
    post.end(3, EndKind.SERVER_CLOSED, Sender.SERVER)
    damage = crossings(maker)[-2]
    assert (damage.type, damage.summary) == (
        "http.body",
        "the data ends before its coding does",
    )


def test_any_other_body_is_told_by_its_bytes(maker: TapeMaker) -> None:
    """An error page, with its text though a character is cut in two."""
    text = '{"error": "naïve"}'.encode()
    cut = text.index(b"\xc3") + 1
    post = maker.post(0, ask("hi"))
    post.head(1, 500, JSON_BODY)
    post.chunk(2, text[:cut])
    post.chunk(3, text[cut:])
    pieces = crossings(maker)[2:]
    assert [(each.type, each.size_bytes, each.text) for each in pieces] == [
        ("http.body", cut, '{"error": "na'),
        ("http.body", len(text) - cut, 'ïve"}'),
    ]


def test_a_coded_body_is_told_by_its_text(maker: TapeMaker) -> None:
    """The size is the wire's."""
    data = gzip.compress(b'{"error": null}')
    post = maker.post(0, ask("hi"))
    post.head(1, 400, (*JSON_BODY, ("content-encoding", "gzip")))
    post.chunk(2, data)
    body = crossings(maker)[-1]
    assert (body.size_bytes, body.text) == (len(data), '{"error": null}')


def test_a_socket_is_its_messages_and_frames(maker: TapeMaker) -> None:
    """Either side's, each as what it is; a close frame with its code and reason."""
    socket = maker.socket(0)
    socket.ask(2, ask("hi"))
    socket.say(3, created(), "no json")
    socket.frame(4, PieceKind.PING, b"alive")
    socket.frame(5, PieceKind.PONG, b"alive", Sender.CLIENT)
    socket.frame(6, PieceKind.BINARY, b"\x00\x01")
    socket.close(7, 1011, "broken")
    found = crossings(maker)[2:]
    assert [(each.sender, each.type, each.summary) for each in found] == [
        (Sender.CLIENT, "response.create", ""),
        (Sender.SERVER, "response.created", ""),
        (Sender.SERVER, "unknown", ""),
        (Sender.SERVER, "websocket.ping", ""),
        (Sender.CLIENT, "websocket.pong", ""),
        (Sender.SERVER, "websocket.binary", ""),
        (Sender.SERVER, "websocket.close", "1011 broken"),
        (Sender.SERVER, "end", "websocket_closed server 1011 broken"),
    ]


def test_an_end_says_whose_it_is(maker: TapeMaker) -> None:
    """How, by which side, and what more is known."""
    post = maker.post(0, ask("hi"))
    post.end(9, EndKind.RESET, Sender.CLIENT)
    end = crossings(maker)[-1]
    assert (end.sender, end.summary) == (Sender.CLIENT, "reset client")


def test_an_exchange_without_an_answer_or_an_end(maker: TapeMaker) -> None:
    """A recording may stop at any point."""
    maker.post(4, ask("hi"))
    assert brief(crossings(maker)) == [(4, 1, "http.request")]


def test_exchanges_that_overlap_are_told_by_time(maker: TapeMaker) -> None:
    """Interleaved as it happened; of two things at once the earlier exchange's comes first."""
    first, second = maker.post(0, ask("a")), maker.post(2, ask("b"))
    for at_ms in (4, 8, 12):
        first.head(4) if at_ms == 4 else first.events(at_ms, delta())
        second.head(4) if at_ms == 4 else second.events(at_ms, delta())
    second.end(14)
    first.end(16)
    assert brief(crossings(maker)) == [
        (0, 1, "http.request"),
        (2, 2, "http.request"),
        (4, 1, "http.response"),
        (4, 2, "http.response"),
        (8, 1, "response.output_text.delta"),
        (8, 2, "response.output_text.delta"),
        (12, 1, "response.output_text.delta"),
        (12, 2, "response.output_text.delta"),
        (14, 2, "end"),
        (16, 1, "end"),
    ]


def test_one_exchange_alone(maker: TapeMaker) -> None:
    """``crossings_of`` leaves the others out."""
    maker.post(0, ask("a")).answer(1, created("resp_a"))
    maker.post(0, ask("b")).answer(1, created("resp_b"))
    with maker.read() as reader:
        second = reader.exchange(2)
        assert second is not None
        found = list(crossings_of(reader, second))
    assert {each.exchange for each in found} == {2}
    assert len(found) == 4


def test_the_order_holds_within_one_instant(maker: TapeMaker) -> None:
    """Events of one chunk stay in their order beside another exchange's at the same time."""
    first, second = maker.post(0, ask("a")), maker.post(0, ask("b"))
    for post in (first, second):
        post.head(1)
        post.events(2, created(), delta(), completed())
    found = [each.type for each in crossings(maker) if each.exchange == 1]
    assert found[2:] == ["response.created", "response.output_text.delta", "response.completed"]
