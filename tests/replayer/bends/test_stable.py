"""The stable recording: what is left out, what is kept, and that it stays as it is."""

import json
from dataclasses import replace
from typing import Any

from any_recordings import recordings
from hypothesis import given, settings
from tape_facts import LABEL, answer, asked, chunk, head, message, upgraded
from tapes import create

from replayer.bends.stable import stable
from wiretape.facts import End, EndKind, Gap, Headers, Piece, PieceKind, RequestHead, Sender
from wiretape.recording import Recording, WholeExchange, moved, numbered

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
FIRST = "00000000-0000-4000-8000-000000000001"
SECOND = "00000000-0000-4000-8000-000000000002"
DONE = b'event: response.completed\ndata: {"type":"response.completed"}\n\n'
LEFT = End(1, 9, EndKind.CLIENT_CLOSED, Sender.CLIENT, detail="Client disconnected.")
HANDSHAKE = replace(head(1, 0, (("upgrade", "websocket"),)), method="GET")


def only(exchange: WholeExchange) -> WholeExchange:
    """An exchange, stable."""
    (found,) = stable(Recording(LABEL, (exchange,))).exchanges
    return found


def requested(headers: Headers = (), body: Any = b"", **members: Any) -> WholeExchange:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return only(WholeExchange(replace(head(1, 5, headers), **members), asked(1, data), answer(1)))


def said(*chunks: bytes, end: End = LEFT) -> WholeExchange:
    """What a stream of these chunks becomes."""
    pieces = tuple(chunk(1, at_us, data) for at_us, data in enumerate(chunks))
    return only(WholeExchange(head(1), asked(1, b""), answer(1), pieces, end))


@settings(max_examples=60, deadline=None)
@given(recordings())
def test_what_is_stable_stays_as_it_is(some: Recording) -> None:
    """Any recording becomes stable at once."""
    once = stable(some)
    assert stable(once) == once


@settings(max_examples=30, deadline=None)
@given(recordings())
def test_when_it_was_recorded_does_not_matter(some: Recording) -> None:
    """The same a second later, in another tape, on other connections, is the same."""
    later = Recording(
        replace(some.label, started_at_us=1, command="other"),
        tuple(
            replace(each, request=replace(each.request, connection=each.request.connection + 1))
            for each in (moved(each, 1_000_000) for each in some.exchanges)
        ),
        some.gaps,
        some.is_closed,
    )
    assert stable(later) == stable(some)


def test_ids_are_numbered_by_their_first_appearance() -> None:
    """Which is which still counts, in headers and in bodies."""
    found = requested((("session_id", B),), create(f"{A} {B}", prompt_cache_key=B))
    assert found.request.headers == (("session_id", FIRST),)
    assert found.body is not None
    body = json.loads(found.body.data)
    assert body["prompt_cache_key"] == FIRST
    assert body["input"][0]["content"][0]["text"] == f"{SECOND} {FIRST}"


def test_headers_that_mean_nothing_are_left_out() -> None:
    """Those that a replay does not compare, and secrets; not the client's name."""
    headers = (
        ("host", "127.0.0.1:1234"),
        ("authorization", "[removed: authorization]"),
        ("x-codex-turn-metadata", "{}"),
        ("user-agent", "codex"),
        ("openai-beta", "x"),
    )
    found = requested(headers)
    assert found.request.headers == (("user-agent", "codex"), ("openai-beta", "x"))


def test_a_port_of_this_machine_is_chance() -> None:
    """Another one is an address."""
    here = requested(scheme="http", host="127.0.0.1", port=1234)
    there = requested(scheme="http", host="gateway.example", port=1234)
    assert (here.request.port, there.request.port) == (80, 1234)


def test_texts_that_tell_a_time_are_put_in_one_form() -> None:
    """Wherever they stand in what is asked."""
    found = requested(body={"output": '{"duration_seconds": 1.5}', "client_metadata": {"a": 1}})
    assert found.body is not None
    assert json.loads(found.body.data) == {"output": '{"duration_seconds":…}'}


def test_what_has_no_such_parts_is_kept_as_it_is_written() -> None:
    """To the space."""
    found = requested(body=b'{ "a" : 1.0 }')
    assert found.body is not None
    assert found.body.data == b'{ "a" : 1.0 }'


def test_a_stream_is_cut_where_its_events_end() -> None:
    """However it was cut on its way; a rest stays."""
    found = said(b"data: a\n", b"\ndata: b\n\nda", b"ta")
    assert [piece.data for piece in found.pieces] == [b"data: a\n\n", b"data: b\n\n", b"data"]


def test_who_leaves_first_after_the_last_event_is_chance() -> None:
    """The stream is complete, whether the client saw its end or not."""
    assert said(DONE).end == End(1, 0, EndKind.COMPLETE)
    assert said(DONE, end=End(1, 9, EndKind.RECORDER_STOPPED)).end == End(1, 0, EndKind.COMPLETE)


def test_who_leaves_before_the_last_event_counts() -> None:
    """A client that gave up, and a server that hung up, stay what they are."""
    assert said(b"data: a\n\n").end == End(1, 0, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    cut = End(1, 9, EndKind.SERVER_CLOSED, Sender.SERVER)
    assert said(DONE, end=cut).end == replace(cut, at_us=0)


def test_a_socket_keeps_what_was_said() -> None:
    """Not what the protocol answers by itself: pongs, a close frame after the client's."""
    pieces = (
        message(1, 1, b"{}"),
        Piece(1, 2, Sender.SERVER, PieceKind.PING, b"p"),
        Piece(1, 3, Sender.CLIENT, PieceKind.PONG, b"p"),
        Piece(1, 4, Sender.CLIENT, PieceKind.PING, b"q"),
        Piece(1, 5, Sender.CLIENT, PieceKind.CLOSE, b""),
        Piece(1, 6, Sender.SERVER, PieceKind.CLOSE, b""),
    )
    found = only(WholeExchange(HANDSHAKE, asked(1, b""), upgraded(1), pieces, LEFT))
    assert [(piece.sender, piece.kind) for piece in found.pieces] == [
        (Sender.CLIENT, PieceKind.TEXT),
        (Sender.SERVER, PieceKind.PING),
    ]


def test_compression_is_said_in_one_way() -> None:
    """A window of the usual size goes without saying."""
    negotiated = (("sec-websocket-extensions", "permessage-deflate; client_max_window_bits=15"),)
    whole = WholeExchange(HANDSHAKE, asked(1, b""), upgraded(1, 2, negotiated))
    response = only(whole).response
    assert response is not None
    assert response.headers == (("sec-websocket-extensions", "permessage-deflate"),)


def test_side_requests_come_first_and_once() -> None:
    """However often, and whenever, the client asked for the list of models."""
    models: RequestHead = replace(head(1), method="GET", target="/v1/models")
    side = WholeExchange(models, asked(1, b""), answer(1), (chunk(1, 3, b"[]"),))
    exchanges = numbered((WholeExchange(head(1)), side, side))
    found = stable(Recording(LABEL, exchanges)).exchanges
    assert [(each.id, each.request.target) for each in found] == [
        (1, "/v1/models"),
        (2, "/v1/responses"),
    ]


def test_gaps_stay() -> None:
    """What is missing is missing, whenever it was."""
    gap = Gap(5, 7, 1, 1, 10, "the disk was full")
    found = only(WholeExchange(head(1), gaps=(gap,)))
    assert found.gaps == (replace(gap, at_us=0, until_us=0),)
