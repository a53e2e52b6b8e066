"""Pings of the client that the recorded server did not answer: it was not there any longer."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from raw_websocket import CLOSE, PING, frame
from replaying import Replaying
from silence import assert_silent
from socket_talks import EVENTS, HEARD, opened, pieces, talk
from tapes import LEFT, Ending, Recording, Step, asks, control, says, wants

from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.frames import Message

type Serve = Callable[..., AbstractContextManager[Replaying]]

UNANSWERED = control(Sender.CLIENT, PieceKind.PING, b"there?")
ANSWERED = (*UNANSWERED, *control(Sender.SERVER, PieceKind.PONG, b"there?"))
PONG = Message(PieceKind.PONG, b"hello")


def test_a_ping_is_not_answered_where_one_was_not(serve: Serve) -> None:
    """Nor is a close frame after it, nor anything else: the client leaves by itself."""
    with serve(talk(says(*EVENTS), UNANSWERED)) as server:
        with opened(server) as socket:
            socket.ask(asks("a"))
            assert [socket.hear() for _ in EVENTS] == HEARD
            socket.client.send(frame(PING, b"hello"))
            assert_silent(socket.client)
            socket.client.send(frame(CLOSE, b"\x03\xe8"))
            assert_silent(socket.client)
        assert server.ends() == [(EndKind.WEBSOCKET_CLOSED, Sender.CLIENT)]
    assert [kind for sender, kind, _ in pieces(server) if sender is Sender.SERVER] == [
        PieceKind.TEXT
    ] * len(EVENTS)


@pytest.mark.parametrize(
    ("steps", "ending"), [(ANSWERED, LEFT), ((), LEFT), (UNANSWERED, Ending(None))]
)
def test_other_pings_are_answered(serve: Serve, steps: tuple[Step, ...], ending: Ending) -> None:
    """Where the recorded server answered, where nobody pinged, and where the tape breaks off."""
    whole = says({"type": "response.completed"})
    with serve(talk(whole, steps, ending=ending)) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear().kind is PieceKind.TEXT
        socket.client.send(frame(PING, b"hello"))
        assert socket.hear() == PONG


def test_pings_are_answered_as_long_as_they_were(serve: Serve) -> None:
    """A server that was there for one request may be gone in the next."""
    recording = Recording()
    recording.socket(
        wants(asks("a")), says(EVENTS[0]), ANSWERED, wants(asks("b")), says(EVENTS[1]), UNANSWERED
    )
    with serve(recording) as server, opened(server) as socket:
        socket.ask(asks("a"))
        assert socket.hear() == HEARD[0]
        socket.client.send(frame(PING, b"hello"))
        assert socket.hear() == PONG
        socket.ask(asks("b"))
        assert socket.hear() == HEARD[1]
        socket.client.send(frame(PING, b"hello"))
        assert_silent(socket.client)
