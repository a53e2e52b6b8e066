"""A tape laid out for playing: what is on it, session by session."""

from collections.abc import Callable

import pytest
from tapes import (
    OTHER_SESSION,
    SESSION,
    Recording,
    asks,
    close_frame,
    control,
    create,
    says,
    wants,
)

from replayer.http_request import Origin
from replayer.script import Script
from wiretape.asked import RequestKind
from wiretape.errors import NoSuchSession
from wiretape.facts import PieceKind, Sender
from wiretape.scope import Purpose

type OpenScript = Callable[..., Script]


def two_sessions() -> Recording:
    """Both kinds of transport, side requests, and a socket that names its session in messages."""
    recording = Recording()
    recording.get("/models", b"{}")
    recording.post(create("a"), session=SESSION)
    recording.socket(wants(asks("b")), session=OTHER_SESSION)
    recording.socket(wants(asks("c", prompt_cache_key="named-inside")), session=None)
    recording.post(create("d"), session=None)
    return recording


def exchanges(script: Script) -> list[int]:
    return [recorded.id for recorded in script.exchanges]


def test_every_exchange_is_there_by_default(script: OpenScript) -> None:
    """In the order in which they began, each with its purpose."""
    opened = script(two_sessions())
    assert [(each.id, each.purpose) for each in opened.exchanges] == [
        (1, Purpose.MODELS),
        (2, Purpose.RESPONSES),
        (3, Purpose.RESPONSES),
        (4, Purpose.RESPONSES),
        (5, Purpose.RESPONSES),
    ]


@pytest.mark.parametrize(
    ("sessions", "numbers"),
    [
        ((SESSION,), [1, 2]),
        (("01990000-aaaa",), [1, 2]),
        (("01990000",), [1, 2, 3]),
        (("01990000-bbbb", "01990000-aaaa"), [1, 2, 3]),
        (("named",), [1, 4]),
        (("unnamed",), [1, 5]),
        (("unnamed-4",), [1, 5]),
    ],
)
def test_a_session_is_named_by_the_start_of_its_name(
    script: OpenScript, sessions: tuple[str, ...], numbers: list[int]
) -> None:
    """Its exchanges are left, on either transport, and the side requests of all; one without an
    id has a name too."""
    assert exchanges(script(two_sessions(), sessions)) == numbers


def test_a_socket_of_the_session_on_which_nothing_was_asked_is_its_own(script: OpenScript) -> None:
    """The client will open it again."""
    recording = Recording()
    recording.socket(session=SESSION)
    recording.post(create("a"), session=SESSION)
    recording.socket(session=OTHER_SESSION)
    assert exchanges(script(recording, (SESSION,))) == [1, 2]


@pytest.mark.parametrize("sessions", [("nobody",), (SESSION, "nobody"), (SESSION + "0",), ("",)])
def test_a_session_that_is_not_there_is_told(script: OpenScript, sessions: tuple[str, ...]) -> None:
    """One that is missing is one too many; the message says how to find the others."""
    with pytest.raises(NoSuchSession) as told:
        script(two_sessions(), sessions)
    missing = sessions[-1]
    message = str(told.value)
    assert f" has no session {missing!r}: `wiretape ls " in message
    assert message.endswith("` lists its sessions.")


def test_messages_are_the_clients_requests(script: OpenScript) -> None:
    """Texts and binary messages of the client are numbered; control frames are none, nor is what
    the server sends."""
    recording = Recording()
    recording.socket(
        wants(asks("a")),
        says({"type": "x"}),
        control(Sender.CLIENT, PieceKind.PING),
        control(Sender.CLIENT, PieceKind.BINARY, b"\0"),
        (close_frame(1000, sender=Sender.CLIENT),),
    )
    opened = script(recording)
    messages = opened.messages(opened.exchanges[0])
    assert [(each.number, each.asked.kind) for each in messages] == [
        (0, RequestKind.CREATE),
        (1, RequestKind.OTHER),
    ]
    assert [each.place for each in messages] == [(1, 0), (1, 1)]


def test_what_was_asked_is_read_from_the_tape(script: OpenScript) -> None:
    """A request's body, a handshake's headers."""
    opened = script(two_sessions())
    asked = [opened.asked(each) for each in opened.exchanges[1:3]]
    assert [(each.kind, each.session, each.model) for each in asked] == [
        (RequestKind.CREATE, SESSION, "gpt-5.2-codex"),
        (RequestKind.UPGRADE, OTHER_SESSION, None),
    ]


def test_an_origin_is_comparable(script: OpenScript) -> None:
    """Host names have no case, and a dot at their end means nothing."""
    recording = Recording(host="API.Example.com.", scheme="http", port=8080)
    recording.post(create("a"))
    assert script(recording).exchanges[0].origin == Origin("http", "api.example.com", 8080)
