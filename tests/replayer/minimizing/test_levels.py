"""What each level names, and what is left of a recording without some of it."""

import json
from typing import Any

from tapes import (
    LEFT,
    Recording,
    answer,
    asks,
    close_frame,
    create,
    says,
    server_closed,
    sse,
    wants,
    warm_up,
)
from wholes import whole

from replayer.minimizing.levels import LEVELS, Level, Unit
from wiretape import recording
from wiretape.facts import EndKind, Sender

EXCHANGES, MESSAGES, EXPECTATIONS, HEADERS, EVENTS, MEMBERS, INNER_MEMBERS = LEVELS


def units(level: Level, built: Recording) -> list[Unit]:
    """The units of a recording, each named once."""
    found = list(level.units(whole(built)))
    assert len(found) == len(set(found))
    return found


def without(level: Level, built: Recording, *spared: Unit) -> recording.Recording:
    """The recording without these units, which are units of it."""
    everything = whole(built)
    found = set(level.units(everything))
    assert found >= set(spared)
    return level.only(everything, found - set(spared))


def said(exchange: recording.WholeExchange) -> list[Any]:
    """What crossed on a socket; a message that any other meets is ``any``."""
    return [json.loads(piece.data) if piece.data else "any" for piece in exchange.pieces]


def streamed(exchange: recording.WholeExchange) -> str:
    return b"".join(piece.data for piece in exchange.pieces).decode()


def posts() -> Recording:
    some = Recording()
    some.post(create("a"), sse(*answer("one")))
    some.post(create("a", "b"), sse(*answer("two")))
    return some


def socket() -> Recording:
    some = Recording()
    some.socket(
        wants(warm_up()), says(answer("")[2]), wants(asks("a")), says(*answer("one")), ending=LEFT
    )
    return some


def test_a_recording_of_which_nothing_is_left_out_is_itself() -> None:
    """At every level, as far as a client can tell: a stream may be cut anew."""
    for built in (posts(), socket()):
        for level in LEVELS:
            bent = without(level, built)
            assert list(map(streamed, bent.exchanges)) == list(
                map(streamed, whole(built).exchanges)
            )
            assert [each.request for each in bent.exchanges] == [
                each.request for each in whole(built).exchanges
            ]


def test_an_exchange_is_left_out() -> None:
    """With all that belongs to it."""
    assert units(EXCHANGES, posts()) == [(1,), (2,)]
    assert [each.id for each in without(EXCHANGES, posts(), (1,)).exchanges] == [2]


def test_a_message_is_left_out_with_its_answer() -> None:
    """The socket goes on without it."""
    assert units(MESSAGES, posts()) == []
    assert units(MESSAGES, socket()) == [(1, 0), (1, 1)]
    [bent] = without(MESSAGES, socket(), (1, 0)).exchanges
    assert said(bent) == [asks("a"), *answer("one")]
    assert (bent.end and bent.end.how) == EndKind.CLIENT_CLOSED


def test_without_its_last_answer_a_socket_is_left_by_the_client() -> None:
    """How it was closed belongs to that answer."""
    some = Recording()
    closed = (close_frame(1011, "no"),)
    some.socket(
        wants(asks("a")), says(*answer("x")), wants(asks("b")), closed, ending=server_closed(1011)
    )
    [bent] = without(MESSAGES, some, (1, 1)).exchanges
    assert said(bent) == [asks("a"), *answer("x")]
    assert bent.end is not None
    assert (bent.end.how, bent.end.side) == (EndKind.CLIENT_CLOSED, Sender.CLIENT)


def test_a_request_that_is_not_compared_asks_for_anything() -> None:
    """Its body and its headers are gone, of which those of a handshake are needed."""
    first, second = without(EXPECTATIONS, posts(), (1,)).exchanges
    assert (first.request.headers, first.body and first.body.data) == ((), b"")
    assert second.body is not None
    assert json.loads(second.body.data) == create("a", "b")
    [upgrade] = without(EXPECTATIONS, socket(), (1,)).exchanges
    assert upgrade.request.headers == (("upgrade", "websocket"),)


def test_a_message_that_is_not_compared_is_any() -> None:
    """But a warm-up stays one."""
    assert units(EXPECTATIONS, socket()) == [(1,), (1, 0), (1, 2)]
    [bent] = without(EXPECTATIONS, socket(), (1, 0), (1, 2)).exchanges
    assert [said(bent)[at] for at in (0, 2)] == [
        {"type": "response.create", "generate": False, "...": ""},
        "any",
    ]


def test_headers_of_answers_are_left_out() -> None:
    """But for what says that a stream is one."""
    some = Recording()
    headers = (("content-type", "text/event-stream"), ("x-one", "1"), ("x-two", "2"))
    some.post(create("a"), sse(*answer("one")), headers=headers)
    assert units(HEADERS, some) == [(1, 1), (1, 2)]
    [bent] = without(HEADERS, some, (1, 1)).exchanges
    assert bent.response is not None
    assert bent.response.headers == (("content-type", "text/event-stream"), ("x-two", "2"))


def test_events_are_left_out_wherever_chunks_were_cut() -> None:
    """Each by itself."""
    some = Recording()
    some.post(create("a"), [b"".join(sse(*answer("one")))])
    assert units(EVENTS, some) == [(1, 0, 0), (1, 0, 1), (1, 0, 2)]
    [bent] = without(EVENTS, some, (1, 0, 0), (1, 0, 2)).exchanges
    assert streamed(bent) == sse(answer("one")[1])[0].decode()
    assert (bent.end and bent.end.how) == EndKind.COMPLETE


def test_a_socket_without_the_last_word_is_closed() -> None:
    """A client would wait for it until its patience is at its end."""
    [bent] = without(EVENTS, socket(), (1, 2, 2)).exchanges
    assert said(bent)[2:] == [asks("a"), *answer("one")[:2]]
    assert (bent.end and bent.end.how) == EndKind.SERVER_CLOSED


def test_a_silence_stays_a_silence() -> None:
    """Where the server never said a last word, the client went on waiting."""
    some = Recording()
    some.post(create("a"), sse(*answer("one")[:2]), LEFT)
    [bent] = without(EVENTS, some, (1, 0, 1)).exchanges
    assert (bent.end and bent.end.how) == EndKind.CLIENT_CLOSED


def test_the_pieces_of_a_command_stand_or_fall_together() -> None:
    """Half a command is another command."""
    chat = [
        {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": part}}]}}]}
        for part in ('{"cmd": "rm -r /', 'tmp/x"}')
    ]
    own = [
        {"type": "response.function_call_arguments.delta", "delta": part} for part in ("rm /", "x")
    ]
    for events in (chat, own):
        some = Recording()
        chunks = [b"data: %s\n\n" % json.dumps(event).encode() for event in events]
        some.post(create("a"), [*chunks, b"data: [DONE]\n\n"])
        assert units(EVENTS, some) == [(1, 0, "call"), (1, 0, 2)]
        [bent] = without(EVENTS, some, (1, 0, "call")).exchanges
        assert streamed(bent) == "data: [DONE]\n\n"


def test_members_are_left_out_of_every_event() -> None:
    """By their names; the type, which makes an event one, is not for sparing."""
    assert units(MEMBERS, posts()) == [("response",), ("delta",)]
    bent = without(MEMBERS, posts(), ("delta",))
    assert [streamed(each) for each in bent.exchanges] == [
        "".join(
            chunk.decode()
            for chunk in (first, b'event: %s\ndata: {"type":"%s"}\n\n' % (2 * (middle,)), last)
        )
        for first, middle, last in (
            (sse(*answer(text))[0], b"response.output_text.delta", sse(*answer(text))[2])
            for text in ("one", "two")
        )
    ]


def test_members_inside_members_are_left_out() -> None:
    """What is not touched stays as it was written."""
    assert units(INNER_MEMBERS, socket()) == [("response", "id"), ("response", "usage")]
    [bent] = without(INNER_MEMBERS, socket(), ("response", "id")).exchanges
    assert said(bent)[3:] == [
        {"type": "response.created", "response": {}},
        answer("one")[1],
        {"type": "response.completed", "response": {"usage": None}},
    ]
