"""What faults make of a recording: what is bent where it stands, and what is put in behind it."""

import json
from typing import Any

import pytest
from codex_tapes import CALL, HELLO, NEW_UPGRADE, OUTPUT, SAID, answers, appends, asks, created
from faulty import faulty
from tapes import LEFT, OTHER_SESSION, Recording, answer, create, says, sse

from replayer.faults.bending import Faulted
from wiretape.errors import UsageError
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.recording import WholeExchange


def bend(recording: Recording, *faults: str) -> Faulted:
    """What faults make of a recording."""
    return faulty(recording, *faults).bent()


def posts(*texts: str, session: str | None = None) -> Recording:
    """A session of requests over HTTP."""
    recording = Recording()
    said: list[str] = []
    for text in texts:
        said.append(text)
        more = {} if session is None else {"session": session}
        recording.post(create(*said), sse(*answer(text)), **more)
    return recording


def sockets() -> Recording:
    """A tool round on one socket, with a client that says only what is new."""
    recording = Recording()
    recording.socket(
        asks(HELLO),
        answers(CALL),
        appends(CALL, OUTPUT),
        answers(SAID, response="r2"),
    )
    return recording


def said(exchange: WholeExchange) -> list[Any]:
    """What the client said on a socket."""
    return [json.loads(piece.data) for piece in exchange.pieces if piece.sender is Sender.CLIENT]


def test_a_recorded_attempt_is_bent_where_it_stands() -> None:
    """It keeps its number, and every other exchange stays as it is."""
    plain = bend(posts("a", "b", "c"), "3:cut").recording
    bent = bend(posts("a", "b", "c"), "2.1:cut").recording
    assert [each.id for each in bent.exchanges] == [1, 2, 3, 4]
    assert [bent.exchanges[at] for at in (0, 2)] == [
        plain.exchanges[0],
        bend(posts("a", "b", "c"), "1:cut").recording.exchanges[2],
    ]
    broken = bent.exchanges[1]
    assert broken.pieces == ()
    assert broken.end is not None and broken.end.how is EndKind.SERVER_CLOSED


def test_the_next_try_is_put_in_behind() -> None:
    """As it was recorded; the report will name it by the number that it was recorded under."""
    bent = bend(posts("a", "b"), "1x2.1:cut")
    assert [len(each.pieces) for each in bent.recording.exchanges] == [0, 3, 0, 3]
    assert bent.originals == {(3, None): (1, None), (4, None): (1, None)}
    assert bent.waiting == {"1x2.1:cut": frozenset({(1, None), (3, None)})}


def test_a_recorded_retry_answers() -> None:
    """Where the recording has another try already, nothing is put in."""
    recording = Recording()
    recording.post(create("a"), sse(created()))
    recording.post(create("a"), sse(*answer("a")))
    bent = bend(recording, "1.1:cut").recording
    assert [len(each.pieces) for each in bent.exchanges] == [0, 3]


def test_an_attempt_is_named() -> None:
    """The second one was not recorded: it is the first, again, and fails."""
    bent = bend(posts("a"), "1#2.1:cut").recording
    assert [len(each.pieces) for each in bent.exchanges] == [3, 0, 3]


def test_a_new_socket_hears_everything() -> None:
    """What the old one had heard is said again; what is asked after it stays as it is."""
    bent = bend(sockets(), "2.1:cut").recording
    old, new, posted = bent.exchanges
    assert [each["type"] for each in said(old)] == ["response.create", "response.append"]
    [again] = said(new)
    assert (again["type"], again["input"]) == ("response.create", [HELLO, CALL, OUTPUT])
    assert posted.request.method == "POST"
    assert posted.body is not None
    assert json.loads(posted.body.data)["input"] == [HELLO, CALL, OUTPUT]


def test_a_response_that_is_gone_on_from_is_said_again() -> None:
    """In words that leave open what else the client says of an item."""
    hello = {**HELLO, "id": "msg_1"}
    recording = Recording()
    recording.socket(
        asks(hello),
        answers(CALL),
        asks(OUTPUT, previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    new = bend(recording, "2.1:cut").recording.exchanges[1]
    [again] = said(new)
    assert "previous_response_id" not in again
    assert again["input"] == [hello, {**CALL, "...": ""}, OUTPUT]


def test_what_follows_a_socket_that_goes_on() -> None:
    """A fault that the client may pass over leaves the socket; one that it may not, too, has a
    socket to go on with: for the same request, and for the next one."""
    bent = bend(sockets(), "1.2:duplicate").recording
    kinds = [len(said(each)) for each in bent.exchanges if each.is_websocket]
    assert kinds == [2, 2, 1]
    assert [each.request.method for each in bent.exchanges] == ["GET"] * 3 + ["POST"] * 2


def test_faults_do_not_move_each_other() -> None:
    """Each counts the events of the recording."""
    bent = bend(posts("a"), "1.1:drop", "1.2:duplicate", "1.3:drop").recording
    assert [piece.data for piece in bent.exchanges[0].pieces] == [sse(*answer("a"))[1]] * 2


def test_a_silence_is_put_in() -> None:
    """Everything from the event on comes so much later; what was before stays."""
    before = bend(posts("a", "b"), "2:cut").recording.exchanges[0]
    after = bend(posts("a", "b"), "1.2:stall=60").recording.exchanges[0]
    gaps = [new.at_us - old.at_us for old, new in zip(before.pieces, after.pieces, strict=True)]
    assert gaps == [0, 60_000_000, 60_000_000]
    assert before.end is not None and after.end is not None
    assert after.end.at_us - before.end.at_us == 60_000_000


def test_a_client_that_had_heard_enough_hears_the_end() -> None:
    """It hung up after the last event; without that event it waits for the end of the body."""
    recording = Recording()
    recording.post(create("a"), sse(*answer("a")), LEFT)
    end = bend(recording, "1:drop").recording.exchanges[0].end
    assert end is not None and end.how is EndKind.COMPLETE


def test_chunks_are_cut_where_events_end() -> None:
    """However the stream was cut when it was recorded, faults are about its events."""
    body = b": comment\n\n" + b"".join(sse(*answer("a")))
    recording = Recording()
    recording.post(create("a"), (body[:20], body[20:]))
    [first, *rest] = [
        piece.data for piece in bend(recording, "1.1:drop").recording.exchanges[0].pieces
    ]
    assert [first, *rest] == list(sse(*answer("a"))[1:])


def test_every_request() -> None:
    """A fault for every request leaves out those that it cannot be on."""
    recording = posts("a")
    recording.socket(asks(HELLO), says(*answer("b")), session=OTHER_SESSION)
    bent = bend(recording, "*:close=1000").recording
    closes = [
        each.id
        for each in bent.exchanges
        if any(piece.kind is PieceKind.CLOSE for piece in each.pieces)
    ]
    assert closes == [2]


IMPOSSIBLE = {
    "3:cut": "hits nothing: of requests, session 1 has 2; `wiretape show` counts them.",
    "2/1:cut": "hits nothing: of requests, session 1 has 2; `wiretape show` counts them.",
    "1:binary": "cannot be on this recording: binary is for WebSocket, and this was asked over"
    " HTTP.",
    "1:close=1000": "cannot be on this recording: close is for WebSocket, and this was asked over"
    " HTTP.",
    "1:refuse": "cannot be on this recording: refuse is for WebSocket, and this was asked over"
    " HTTP.",
    "*:oversize": "cannot be on this recording: oversize is for WebSocket, and this was asked over"
    " HTTP.",
    "1.4:cut": "cannot be on this recording: its recorded answer has 3 events.",
    "1.response.failed:cut": "cannot be on this recording: its recorded answer has no"
    " response.failed: it has response.created, response.output_text.delta, response.completed.",
    "1.1:reorder": "cannot be on this recording: there is no event before the first.",
}


@pytest.mark.parametrize("fault", IMPOSSIBLE)
def test_a_fault_that_cannot_be(fault: str) -> None:
    """On this recording: it is refused, with the reason."""
    with pytest.raises(UsageError) as refused:
        bend(posts("a", "b"), fault)
    assert str(refused.value) == f"the fault {fault!r} {IMPOSSIBLE[fault]}"


def test_a_fault_that_cannot_be_on_a_socket() -> None:
    """A message has no status, and an open socket no handshake."""
    for fault, reason in {
        "1:status=500": "status is for HTTP, and this was asked over WebSocket",
        "2:refuse": "it was asked on a socket that was open already, so there is no handshake: "
        "name the first request on it, or a later attempt",
    }.items():
        with pytest.raises(UsageError) as refused:
            bend(sockets(), fault)
        assert str(refused.value) == (f"the fault {fault!r} cannot be on this recording: {reason}.")


def test_an_answer_without_events() -> None:
    """An error has a head and a body, and may break off after them; but it has no events."""
    recording = Recording()
    recording.post(create("a"), (b"{}",), status=500, headers=(("content-type", "text/plain"),))
    assert bend(recording, "1:cut").recording.exchanges[0].pieces[0].data == b"{}"
    with pytest.raises(UsageError, match="its recorded answer has no events"):
        bend(recording, "1:drop")
