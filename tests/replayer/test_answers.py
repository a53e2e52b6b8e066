"""What a recorded server did, as actions: every ending, every time, and nothing of the wire's."""

import gzip
from collections.abc import Callable

import pytest
from tapes import (
    COMPLETE,
    CUT,
    LEFT,
    STREAM_HEADERS,
    Ending,
    Recording,
    Step,
    answer,
    asks,
    close_frame,
    control,
    create,
    says,
    server_closed,
    sse,
    wants,
)

from replayer.actions import Action, Drop, Finish, Hold, Reset, SendBytes, SendFrame, SendHead
from replayer.answers import RecordedSocket
from replayer.script import Script
from wiretape.facts import EndKind, Headers, PieceKind, Sender

type OpenScript = Callable[..., Script]


def http_actions(script: OpenScript, recording: Recording) -> list[Action]:
    """The answer of the recording's only exchange."""
    opened = script(recording)
    return list(opened.answer(opened.exchanges[0]))


def head_of(script: OpenScript, headers: Headers, status: int = 200) -> SendHead:
    recording = Recording()
    recording.post(create("hi"), status=status, headers=headers)
    head = http_actions(script, recording)[0]
    assert isinstance(head, SendHead)
    return head


def socket_of(script: OpenScript, recording: Recording) -> RecordedSocket:
    opened = script(recording)
    return opened.socket(opened.exchanges[0])


def sent(actions: list[Action]) -> list[tuple[PieceKind, bytes]]:
    """The frames among the actions."""
    return [(each.kind, each.data) for each in actions if isinstance(each, SendFrame)]


def test_an_answer_is_timed_from_the_end_of_the_request(script: OpenScript) -> None:
    """Head, chunks and end keep their distance from when the request had arrived whole."""
    recording = Recording()
    recording.post(create("hi"), (b"one", b"two"), reason="Fine")
    assert http_actions(script, recording) == [
        SendHead(10_000, 200, "Fine", STREAM_HEADERS),
        SendBytes(20_000, b"one"),
        SendBytes(30_000, b"two"),
        Finish(40_000),
    ]


def test_a_refused_upgrade_is_answered_in_one_go(script: OpenScript) -> None:
    """Clients that asked for a socket look no further than what comes with the head."""
    recording = Recording()
    recording.refused_upgrade(400, b"why", reason="Bad Request")
    assert http_actions(script, recording) == [
        SendHead(10_000, 400, "Bad Request", (("content-length", "3"),)),
        SendBytes(10_000, b"why"),
        Finish(30_000),
    ]


def test_headers_keep_order_case_and_repetition(script: OpenScript) -> None:
    """What was recorded is sent again as it was."""
    headers = (("X-Two", "b"), ("x-one", "a"), ("X-Two", "c"), ("Content-Type", "text/plain"))
    assert head_of(script, headers).headers == headers


@pytest.mark.parametrize(
    "name",
    ["Connection", "keep-alive", "proxy-connection", "Transfer-Encoding", "te", "trailer"],
)
def test_what_belongs_to_a_connection_is_not_sent(script: OpenScript, name: str) -> None:
    """How the recorded connection was framed and kept is no part of the answer."""
    headers = ((name, "chunked"), ("x-kept", "yes"))
    assert head_of(script, headers).headers == (("x-kept", "yes"),)


@pytest.mark.parametrize("name", ["set-cookie", "openai-organization", "WWW-Authenticate"])
def test_what_was_removed_from_the_tape_is_not_sent(script: OpenScript, name: str) -> None:
    """A placeholder would be a lie about the header."""
    headers = ((name, f"[removed: {name.lower()}]"), ("x-kept", "yes"))
    assert head_of(script, headers).headers == (("x-kept", "yes"),)


@pytest.mark.parametrize("kind", ["text/event-stream", "Text/Event-Stream; charset=utf-8"])
def test_a_stream_states_no_length(script: OpenScript, kind: str) -> None:
    """A server that knows the length of a stream beforehand does not stream."""
    headers = (("content-type", kind), ("Content-Length", "12"))
    assert head_of(script, headers).headers == (("content-type", kind),)


def test_any_other_body_keeps_its_length(script: OpenScript) -> None:
    """The length of a body that is no stream is part of its head."""
    headers = (("content-type", "application/json"), ("content-length", "2"))
    assert head_of(script, headers, 400).headers == headers


SERVER, CLIENT = Sender.SERVER, Sender.CLIENT
ENDINGS = [
    (EndKind.COMPLETE, None, Finish(40_000)),
    (EndKind.SERVER_CLOSED, SERVER, Drop(40_000)),
    (EndKind.RESET, SERVER, Reset(40_000)),
    (EndKind.RESET, None, Reset(40_000)),
    (EndKind.RESET, CLIENT, Hold()),
    (EndKind.CLIENT_CLOSED, CLIENT, Hold()),
    (EndKind.CLIENT_CLOSED, None, Hold()),
    (EndKind.WEBSOCKET_CLOSED, SERVER, Drop(40_000)),
    (EndKind.WEBSOCKET_CLOSED, CLIENT, Hold()),
    (EndKind.REFUSED, None, Drop(40_000)),
    (EndKind.TLS_FAILURE, SERVER, Drop(40_000)),
    (EndKind.PROTOCOL_ERROR, SERVER, Drop(40_000)),
    (EndKind.PROTOCOL_ERROR, None, Drop(40_000)),
    (EndKind.RECORDER_STOPPED, None, Drop(30_000, is_recorded=False)),
    (None, None, Drop(30_000, is_recorded=False)),
]


def test_every_way_to_end_has_its_action() -> None:
    """The table above leaves out none."""
    assert {how for how, _, _ in ENDINGS} == {*EndKind, None}


@pytest.mark.parametrize(("how", "side", "action"), ENDINGS)
def test_an_exchange_ends_as_it_was_recorded(
    script: OpenScript, how: EndKind | None, side: Sender | None, action: Action
) -> None:
    """What the server ended is ended again; what the client ended, the client will; and what the
    tape does not tell is lost where the pieces are spent."""
    recording = Recording()
    recording.post(create("hi"), (b"one", b"two"), Ending(how, side))
    assert http_actions(script, recording)[-1] == action


def test_no_answer_is_no_head(script: OpenScript) -> None:
    """An upstream that could not be reached gave no response."""
    recording = Recording()
    recording.post(create("hi"), status=None, ending=Ending(EndKind.REFUSED))
    assert http_actions(script, recording) == [Drop(10_000)]


UNKNOWN = [Ending(EndKind.RECORDER_STOPPED), Ending(None)]


@pytest.mark.parametrize("ending", [LEFT, *UNKNOWN])
@pytest.mark.parametrize(
    "chunks",
    [sse(*answer("yes")), (*sse(*answer("yes")), b": bye\n\n"), (b"data: {}\n\ndata: [DONE]\n\n",)],
)
def test_a_stream_that_said_everything_comes_to_its_end(
    script: OpenScript, chunks: tuple[bytes, ...], ending: Ending
) -> None:
    """A client that hung up on hearing the last event missed nothing but the end of the body; one
    that listens on must not wait for that end for ever."""
    recording = Recording()
    recording.post(create("hi"), chunks, ending)
    assert isinstance(http_actions(script, recording)[-1], Finish)


def test_a_compressed_stream_that_said_everything_is_known_to(script: OpenScript) -> None:
    """What a stream said stands behind its content coding."""
    recording = Recording()
    body = gzip.compress(b"".join(sse(*answer("yes"))))
    coded = (*STREAM_HEADERS, ("content-encoding", "gzip"))
    recording.post(create("hi"), (body[:40], body[40:]), LEFT, headers=coded)
    assert isinstance(http_actions(script, recording)[-1], Finish)


@pytest.mark.parametrize(
    "chunks",
    [
        sse(*answer("yes")[:2]),
        (*sse(*answer("yes")), *sse({"type": "response.created"})),
        sse({"type": "response.failed", "response": {}}),
        (sse(*answer("yes"))[-1][:-1],),
        (b'data: not the type "response.completed"\n\n',),
        (),
    ],
)
def test_a_stream_that_was_left_in_its_middle_is_held(
    script: OpenScript, chunks: tuple[bytes, ...]
) -> None:
    """The client left because nothing more came, so nothing more comes."""
    recording = Recording()
    recording.post(create("hi"), chunks, LEFT)
    assert http_actions(script, recording)[-1] == Hold()


def test_a_body_that_is_no_stream_is_never_complete_by_what_it_says(script: OpenScript) -> None:
    """Only streams of events have a last event."""
    recording = Recording()
    headers = (("content-type", "application/json"),)
    recording.post(create("hi"), sse(*answer("yes")), LEFT, headers=headers)
    assert http_actions(script, recording)[-1] == Hold()


def test_a_stream_that_was_cut_after_its_last_event_is_cut(script: OpenScript) -> None:
    """What the server did is done again, whatever the stream had said."""
    recording = Recording()
    recording.post(create("hi"), sse(*answer("yes")), CUT)
    assert isinstance(http_actions(script, recording)[-1], Drop)


@pytest.mark.parametrize("ending", UNKNOWN)
@pytest.mark.parametrize(("chunks", "at_us"), [((), 10_000), ((b"{",), 20_000)])
def test_a_body_that_was_cut_off_is_lost_there(
    script: OpenScript, chunks: tuple[bytes, ...], at_us: int, ending: Ending
) -> None:
    """A client that waited for the rest would wait for ever: nobody recorded it."""
    recording = Recording()
    headers = (("content-type", "application/json"), ("content-length", "2"))
    recording.post(create("hi"), chunks, ending, headers=headers)
    assert http_actions(script, recording)[-1] == Drop(at_us, is_recorded=False)


@pytest.mark.parametrize("ending", UNKNOWN)
def test_a_request_without_an_answer_is_lost_at_once(script: OpenScript, ending: Ending) -> None:
    """The tape may end before the server has said anything."""
    recording = Recording()
    recording.post(create("hi"), status=None, ending=ending)
    actions = http_actions(script, recording)
    assert [(type(each), getattr(each, "is_recorded", None)) for each in actions] == [(Drop, False)]


@pytest.mark.parametrize("ending", [LEFT, *UNKNOWN])
def test_a_body_as_long_as_it_was_to_be_is_whole(script: OpenScript, ending: Ending) -> None:
    """Its head says how long it is, so nothing can be missing."""
    recording = Recording()
    headers = (("content-type", "application/json"), ("content-length", "2"))
    recording.post(create("hi"), (b"{", b"}"), ending, headers=headers)
    assert isinstance(http_actions(script, recording)[-1], Finish)


@pytest.mark.parametrize("is_its_own", [True, False])
def test_a_client_that_may_have_heard_more_than_the_tape_is_cut_off(
    script: OpenScript, is_its_own: bool
) -> None:
    """It left, and what it left at may be lost: to wait for that would be to wait for ever."""
    recording = Recording()
    recording.post(create("hi"), sse(*answer("yes"))[:2], Ending(None))
    recording.gap(1 if is_its_own else None)
    recording.end(1, LEFT)
    assert http_actions(script, recording)[-1] == Drop(30_000, is_recorded=False)


@pytest.mark.parametrize("gap_of", [1, None])
def test_a_gap_elsewhere_changes_no_ending(script: OpenScript, gap_of: int | None) -> None:
    """What another exchange lost, or what was lost before this one began, is not missing here."""
    recording = Recording()
    recording.post(create("other"), sse(*answer("yes")))
    recording.gap(gap_of)
    recording.post(create("hi"), (b"one",), LEFT)
    opened = script(recording)
    assert list(opened.answer(opened.exchanges[1]))[-1] == Hold()


def test_a_socket_that_was_cut_off_in_an_answer_is_lost_there(script: OpenScript) -> None:
    """What came before it is given again, and then nothing is to be waited for."""
    for ending in UNKNOWN:
        recording = Recording()
        steps = (*wants(asks("a")), *says(*answer("a")), *wants(asks("b")), *says({"type": "x"}))
        recording.socket(steps, ending=ending)
        socket = socket_of(script, recording)
        assert not any(isinstance(each, Drop) for each in socket.answer(0))
        assert list(socket.answer(1))[-1] == Drop(10_000, is_recorded=False)


@pytest.mark.parametrize(
    "last", ["response.completed", "response.done", "response.failed", "response.incomplete"]
)
def test_a_socket_that_was_cut_off_between_answers_stays_open(
    script: OpenScript, last: str
) -> None:
    """The client has heard all, also where something came after the last word."""
    recording = Recording()
    events = says({"type": last}, {"type": "codex.rate_limits"})
    recording.socket(wants(asks("a")), events, ending=Ending(None))
    assert list(socket_of(script, recording).answer(0))[-1] == Hold()


def test_a_socket_on_which_nothing_was_asked_stays_open(script: OpenScript) -> None:
    """Nothing is owed on it."""
    recording = Recording()
    recording.socket(ending=Ending(None))
    assert list(socket_of(script, recording).opening()) == [Hold()]


def test_an_answer_whose_end_was_lost_on_a_socket_ends_the_socket(script: OpenScript) -> None:
    """The recorded client heard it and went on; ours would wait for it."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), says({"type": "one"}))
    recording.gap(number)
    recording.on(number, wants(asks("b")), says(*answer("b")))
    recording.end(number)
    socket = socket_of(script, recording)
    assert list(socket.answer(0))[-1] == Drop(10_000, is_recorded=False)
    assert sent(list(socket.answer(1))) == [
        (PieceKind.TEXT, each.data) for each in says(*answer("b"))
    ]
    assert list(socket.answer(1))[-1] == Hold()


BYE = close_frame(1000, "bye", CLIENT)


@pytest.mark.parametrize(
    ("steps", "ending", "actions"),
    [
        ((BYE,), Ending(EndKind.WEBSOCKET_CLOSED, CLIENT, 1000, "bye"), [Drop(10_000)]),
        ((BYE,), Ending(EndKind.CLIENT_CLOSED, CLIENT), [Drop(10_000)]),
        ((BYE, close_frame(1000)), Ending(EndKind.WEBSOCKET_CLOSED, CLIENT, 1000, "bye"), None),
        ((BYE,), Ending(None), None),
        ((BYE,), Ending(EndKind.RECORDER_STOPPED), None),
        ((), LEFT, None),
    ],
)
def test_a_close_frame_is_left_unanswered_where_it_was(
    script: OpenScript, steps: tuple[Step, ...], ending: Ending, actions: list[Action] | None
) -> None:
    """Where the tape shows that the server did not answer, and nowhere else; the connection goes
    when it went, because a client may wait for the answer."""
    recording = Recording()
    recording.socket(wants(asks("a")), steps, ending=ending)
    assert socket_of(script, recording).closed() == actions


def test_an_answer_to_a_close_frame_that_may_be_lost_is_given(script: OpenScript) -> None:
    """A gap proves nothing."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), (BYE,))
    recording.gap(number)
    recording.end(number, Ending(EndKind.WEBSOCKET_CLOSED, CLIENT, 1000, "bye"))
    assert socket_of(script, recording).closed() is None


def test_a_socket_is_answered_message_by_message(script: OpenScript) -> None:
    """What the server sent belongs to the message before it, and is timed from that message."""
    recording = Recording()
    one, two, three = says({"type": "one"}, {"type": "two"}, {"type": "three"})
    recording.socket(wants(asks("a")), (one, two), wants(asks("b")), (three,))
    socket = socket_of(script, recording)
    assert list(socket.opening()) == []
    assert list(socket.answer(0)) == [
        SendFrame(10_000, PieceKind.TEXT, one.data),
        SendFrame(20_000, PieceKind.TEXT, two.data),
    ]
    assert list(socket.answer(1)) == [SendFrame(10_000, PieceKind.TEXT, three.data), Hold()]


def test_what_a_server_says_unasked_opens_the_socket(script: OpenScript) -> None:
    """What came before the client's first message is timed from the handshake."""
    recording = Recording()
    (hello,) = says({"type": "hello"})
    recording.socket((hello,), wants(asks("a")))
    assert list(socket_of(script, recording).opening()) == [
        SendFrame(10_000, PieceKind.TEXT, hello.data)
    ]


def test_answers_may_be_passed_over_and_gone_back_to(script: OpenScript) -> None:
    """A client that asks in another order is answered message by message all the same."""
    recording = Recording()
    replies = says({"type": "0"}, {"type": "1"}, {"type": "2"})
    recording.socket(*((*wants(asks(str(n))), replies[n]) for n in range(3)), ending=CUT)
    socket = socket_of(script, recording)
    for number in (2, 0, 1, 1, 2):
        assert sent(list(socket.answer(number))) == [(PieceKind.TEXT, replies[number].data)]


def test_a_server_that_closed_closes_again(script: OpenScript) -> None:
    """The close frame, then the end of the connection: nothing of what crossed meanwhile."""
    recording = Recording()
    recording.socket(
        wants(asks("a")),
        (close_frame(1011, "bad"),),
        wants(asks("crossed")),
        (close_frame(1011, "bad", Sender.CLIENT),),
        ending=server_closed(1011, "bad"),
    )
    assert list(socket_of(script, recording).answer(0)) == [
        SendFrame(10_000, PieceKind.CLOSE, b"\x03\xf3bad"),
        Drop(40_000),
    ]


@pytest.mark.parametrize(
    ("ending", "payload"),
    [(server_closed(1011, "bad"), b"\x03\xf3bad"), (server_closed(None), b"")],
)
def test_a_close_frame_that_only_the_end_tells_of_is_sent(
    script: OpenScript, ending: Ending, payload: bytes
) -> None:
    """As a script may say it; before the end of the connection."""
    recording = Recording()
    recording.socket(wants(asks("a")), says({"type": "response.created"}), ending=ending)
    assert list(socket_of(script, recording).answer(0))[1:] == [
        SendFrame(20_000, PieceKind.CLOSE, payload),
        Drop(20_000),
    ]


def test_a_server_that_closed_and_was_cut_off_by_the_recorders_end(script: OpenScript) -> None:
    """After its close frame a server has nothing more to say, whatever the tape missed."""
    recording = Recording()
    recording.socket(wants(asks("a")), (close_frame(1000),), ending=Ending(None))
    assert list(socket_of(script, recording).answer(0))[-1] == Drop(10_000)


def test_a_client_that_closed_is_left_to_close(script: OpenScript) -> None:
    """The server's answer to a close frame waits for the close frame."""
    recording = Recording()
    recording.socket(
        wants(asks("a")),
        (close_frame(1000, sender=Sender.CLIENT), close_frame(1000)),
        ending=Ending(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, 1000, ""),
    )
    assert list(socket_of(script, recording).answer(0)) == [Hold()]


def test_a_pong_that_answered_a_ping_is_not_sent_by_itself(script: OpenScript) -> None:
    """The protocol answers the client's pings when they come; other pongs and pings are kept."""
    recording = Recording()
    recording.socket(
        wants(asks("a")),
        control(CLIENT, PieceKind.PING, b"p"),
        control(SERVER, PieceKind.PONG, b"p"),
        control(SERVER, PieceKind.PONG, b"p"),
        control(SERVER, PieceKind.PING, b"q"),
        control(CLIENT, PieceKind.PONG, b"q"),
    )
    assert sent(list(socket_of(script, recording).answer(0))) == [
        (PieceKind.PONG, b"p"),
        (PieceKind.PING, b"q"),
    ]


def test_binary_and_undecoded_bytes_are_kept(script: OpenScript) -> None:
    """Whatever the server sent is sent again; a binary message of the client is a request."""
    recording = Recording()
    recording.socket(
        control(CLIENT, PieceKind.BINARY, b"\0"),
        control(SERVER, PieceKind.BINARY, b"\1"),
        control(SERVER, PieceKind.UNDECODED, b"\xff\xff"),
        ending=COMPLETE,
    )
    assert list(socket_of(script, recording).answer(0)) == [
        SendFrame(10_000, PieceKind.BINARY, b"\1"),
        SendFrame(20_000, PieceKind.UNDECODED, b"\xff\xff"),
        Finish(30_000),
    ]
