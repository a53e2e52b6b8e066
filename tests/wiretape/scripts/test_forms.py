"""The forms of a script: what each stands for, and which one is written."""

from typing import Any

import pytest
from tape_facts import LABEL, answer, asked, chunk, complete, head, message

from wiretape.errors import CannotExpress
from wiretape.facts import End, EndKind, Gap, Headers, Piece, PieceKind, Sender
from wiretape.recording import Recording, WholeExchange
from wiretape.scripts import defaults
from wiretape.scripts.reading import read_script
from wiretape.scripts.writing import write_script
from wiretape.store_writer import TapeLabel

NOTHING = TapeLabel("script", 0, "script")
CREATED = '{"type": "response.created", "response": {"id": 1.0}}'


def exchange(*lines: str, request: str = "POST /v1/responses") -> WholeExchange:
    """The exchange that a script with these lines holds."""
    indented = "".join(f"  {line}\n" for line in lines)
    script = f"wiretape_script: 1\nexchanges:\n- request: {request}\n{indented}"
    recording = read_script(script)
    assert read_script(write_script(recording)) == recording
    (only,) = recording.exchanges
    return only


def sent(*steps: str, request: str = "POST /v1/responses") -> list[tuple[PieceKind, bytes]]:
    """What these steps send."""
    pieces = exchange("steps:", *(f"- {step}" for step in steps), request=request).pieces
    return [(piece.kind, piece.data) for piece in pieces]


# What goes without saying.


def test_a_request_alone_is_answered_by_an_empty_stream() -> None:
    """Of the model API, with any headers and any body, and it ends well."""
    found = exchange()
    assert found.request == head(1, 0, ())
    assert found.body is not None
    assert (found.body.data, found.body.is_whole) == (b"", True)
    assert found.response is not None
    assert (found.response.status, found.response.reason) == (200, "OK")
    assert found.response.headers == (("content-type", "text/event-stream"),)
    assert found.end == End(1, 0, EndKind.COMPLETE)


def test_a_websocket_alone_is_opened_and_left_by_the_client() -> None:
    """A handshake, accepted; nothing else."""
    found = exchange(request="websocket /v1/responses")
    assert (found.request.method, found.request.headers) == ("GET", (("upgrade", "websocket"),))
    assert found.response is not None
    assert (found.response.status, found.response.headers) == (101, ())
    assert found.end == End(1, 0, EndKind.CLIENT_CLOSED, Sender.CLIENT)


def test_a_socket_that_the_server_closes_ends_so() -> None:
    """With the code and the words of its close frame."""
    found = exchange("steps:", "- close: 1011 why", request="websocket /v1/responses")
    assert found.end == End(1, 0, EndKind.WEBSOCKET_CLOSED, Sender.SERVER, 1011, "why")


def test_an_error_is_no_stream() -> None:
    """A status alone has its usual words and no headers."""
    found = exchange("answer: 429")
    assert found.response is not None
    assert (found.response.reason, found.response.headers) == ("Too Many Requests", ())


def test_exchanges_follow_one_another() -> None:
    """Each begins when the one before has ended, on a connection of its own."""
    script = "wiretape_script: 1\nexchanges:\n" + 2 * (
        "- request: POST /v1/responses\n  steps:\n  - wait_ms: 1.5\n  - chunk: a\n"
    )
    first, second = read_script(script).exchanges
    assert (first.request.at_us, first.pieces[0].at_us) == (0, 1500)
    assert (second.request.at_us, second.pieces[0].at_us) == (1500, 3000)
    assert (second.id, second.request.connection) == (2, 2)


def test_every_end_has_a_side() -> None:
    """The table of whose doing an end is has all of them."""
    assert defaults.SIDES.keys() == set(EndKind)


# Steps.


@pytest.mark.parametrize(
    ("step", "data"),
    [
        (CREATED, f"event: response.created\ndata: {CREATED}\n\n"),
        (
            '{type: x, a: [1, no, "1"], b: }',
            'event: x\ndata: {"type":"x","a":[1,"no","1"],"b":null}\n\n',
        ),
        ('data: "[DONE]"', "data: [DONE]\n\n"),
        ('data: {"a":  1}', 'data: {"a":  1}\n\n'),
        ("chunk: hello", "hello"),
        ('chunk: {"a" : 1}', '{"a" : 1}'),
        ("chunk: {base64: AAE=}", "\0\1"),
        ("chunk: {text: none}", "none"),
        (
            "together: [{type: a}, {type: b}]",
            'event: a\ndata: {"type":"a"}\n\nevent: b\ndata: {"type":"b"}\n\n',
        ),
    ],
)
def test_a_step_over_http(step: str, data: str) -> None:
    """Each form is a chunk of the body; JSON on the rest of a line goes as it is written."""
    assert sent(step) == [(PieceKind.CHUNK, data.encode())]


@pytest.mark.parametrize(
    ("step", "kind", "data"),
    [
        (CREATED, PieceKind.TEXT, CREATED.encode()),
        ("text: hello", PieceKind.TEXT, b"hello"),
        ('text: {"a" : 1}', PieceKind.TEXT, b'{"a" : 1}'),
        ("binary: {base64: /w==}", PieceKind.BINARY, b"\xff"),
        ("ping: a", PieceKind.PING, b"a"),
        ("pong:", PieceKind.PONG, b""),
        ("close:", PieceKind.CLOSE, b""),
        ("close: 1000", PieceKind.CLOSE, b"\x03\xe8"),
        ("close: 1011 so it is", PieceKind.CLOSE, b"\x03\xf3so it is"),
        ("close: {base64: Aw==}", PieceKind.CLOSE, b"\x03"),
        ("undecoded: {base64: /w==}", PieceKind.UNDECODED, b"\xff"),
        ("client: any", PieceKind.TEXT, b""),
        (f"client: {CREATED}", PieceKind.TEXT, CREATED.encode()),
        ("client: {text: any}", PieceKind.TEXT, b"any"),
        ("client: {close: 1000}", PieceKind.CLOSE, b"\x03\xe8"),
    ],
)
def test_a_step_on_a_socket(step: str, kind: PieceKind, data: bytes) -> None:
    """Each form is a message or a frame, of the server or of the client."""
    (piece,) = exchange("steps:", f"- {step}", request="websocket /v1/responses").pieces
    sender = Sender.CLIENT if step.startswith("client") else Sender.SERVER
    assert (piece.kind, piece.data, piece.sender) == (kind, data, sender)


def test_several_events_of_one_chunk_stay_together() -> None:
    """They were sent at once, and are written as a list."""
    one = f"event: response.created\ndata: {CREATED}\n\n"
    written = script_of(chunks=(one + one,))
    assert f"  - together:\n    - {CREATED}\n    - {CREATED}\n" in written


# What is written.


def script_of(*pieces: Piece, chunks: tuple[str, ...] = (), headers: Headers = ()) -> str:
    """The script of an exchange in which these cross."""
    crossed = pieces or tuple(chunk(1, 2, each.encode()) for each in chunks)
    whole = WholeExchange(head(1, 0, headers), asked(1, b""), answer(1), crossed, complete(1, 2))
    recording = Recording(NOTHING, (whole,))
    assert read_script(write_script(recording)) == recording
    return write_script(recording)


def test_the_smallest_script() -> None:
    """Of an exchange in which all is as usual, the request alone is written."""
    found = exchange()
    assert write_script(Recording(NOTHING, (found,))) == (
        "# A script of wiretape: docs/scripts.md describes it.\n"
        "wiretape_script: 1\n"
        "exchanges:\n"
        "- request: POST https://api.openai.com/v1/responses\n"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        pytest.param(f"event: response.created\ndata: {CREATED}\n\n", CREATED, id="plain"),
        pytest.param('data: {"a":1}\n\n', 'data: {"a":1}', id="without a name"),
        pytest.param("data: [DONE]\n\n", 'data: "[DONE]"', id="done"),
        pytest.param('{"error": 1}', 'chunk: {"error": 1}', id="JSON"),
        pytest.param(": keep-alive\n\n", "chunk: |+\n      : keep-alive\n", id="a comment"),
        pytest.param(
            f"event: other\ndata: {CREATED}\n\n",
            f"chunk: |+\n      event: other\n      data: {CREATED}\n",
            id="a name that is not its type",
        ),
        pytest.param("one\r\ntwo", 'chunk: "one\\r\\ntwo"', id="another line end"),
        pytest.param("one\u2028two", 'chunk: "one\\u2028two"', id="a rare line end"),
        pytest.param('{"a": "\u2028"}', 'chunk: {"a": "\u2028"}', id="a rare line end in JSON"),
        pytest.param('{"a": "\x7f"}', 'chunk: "{\\"a\\": \\"\\x7f\\"}"', id="no YAML"),
        pytest.param("true", 'chunk: "true"', id="a word of YAML"),
        pytest.param("12", 'chunk: "12"', id="a number"),
        pytest.param("", 'chunk: ""', id="nothing"),
    ],
)
def test_a_chunk_is_written_as_plainly_as_it_can_be(text: str, written: str) -> None:
    """The shortest form that gives the same bytes."""
    assert f"  - {written}\n" in script_of(chunks=(text,))


def test_bytes_that_are_no_text_are_base64() -> None:
    """Of whatever kind they are."""
    assert "  - chunk:\n      base64: /w==\n" in script_of(chunk(1, 2, b"\xff"))


def test_a_header_may_stand_twice() -> None:
    """Then the headers are a list; JSON in one stays JSON."""
    headers = (("a", "1"), ("b", '{"c": 1}'), ("a", "2"))
    assert '  headers:\n  - a: "1"\n  - b: {"c": 1}\n  - a: "2"\n' in script_of(headers=headers)


def test_times_are_told_where_they_go_on() -> None:
    """Between two things that crossed, in milliseconds, to the microsecond."""
    written = script_of(chunk(1, 1_000, b"a"), chunk(1, 1_000, b"b"), chunk(1, 13_250, b"c"))
    steps = written.partition("steps:\n")[2].partition("  end:")[0]
    assert steps == (
        "  - wait_ms: 0.998\n  - chunk: a\n  - chunk: b\n  - wait_ms: 12.25\n  - chunk: c\n"
    )


@pytest.mark.parametrize("step", ["wait_ms: 1.5", '{"wait_ms": 1.5}', '{ "at_ms" : 1.5 }'])
def test_time_goes_by_however_that_is_written(step: str) -> None:
    """As YAML, or as JSON on one line."""
    script = (
        f"wiretape_script: 1\nexchanges:\n- request: POST /\n  steps:\n  - {step}\n  - chunk: a\n"
    )
    (exchange,) = read_script(script).exchanges
    assert [piece.at_us for piece in exchange.pieces] == [1_500]


def test_a_clock_that_went_back_says_when_it_was() -> None:
    """Nothing waits for less than no time."""
    written = script_of(chunk(1, 2_000, b"a"), chunk(1, 1_500, b"b"), chunk(1, 1_600, b"c"))
    steps = written.partition("steps:\n")[2].partition("  end:")[0]
    assert steps == (
        "  - wait_ms: 1.998\n  - chunk: a\n  - at_ms: 1.5\n  - chunk: b\n"
        "  - wait_ms: 0.1\n  - chunk: c\n"
    )


def test_the_label_is_kept() -> None:
    """Who made the tape, when, around which command; the command as a list."""
    written = write_script(Recording(LABEL, ()))
    assert written == (
        "# A script of wiretape: docs/scripts.md describes it.\n"
        "wiretape_script: 1\n"
        "tape:\n"
        "  made_by: record\n"
        '  started: "2026-01-01T00:00:00.000000Z"\n'
        "  clock: monotonic\n"
        "  command:\n"
        "  - codex\n"
        '  wiretape: "0.1.0"\n'
        "exchanges: []\n"
    )


def test_what_is_missing_is_said() -> None:
    """A request that was never over, no answer, no end, a gap: none of it goes without saying."""
    gap = Gap(5_000, 7_000, 1, 2, 30, "the disk was full")
    written = write_script(Recording(NOTHING, (WholeExchange(head(1), gaps=(gap,)),)))
    assert written.partition("/responses\n")[2] == (
        "  body: none\n"
        "  answer: none\n"
        "  end: none\n"
        "  gaps:\n"
        "  - at_ms: 5\n"
        "    until_ms: 7\n"
        "    lost_facts: 2\n"
        "    lost_bytes: 30\n"
        "    reason: the disk was full\n"
    )


def test_what_cannot_cross_is_refused() -> None:
    """A message over HTTP is no fact that a recorder makes, and no script says it."""
    odd: Any = WholeExchange(head(1), asked(1, b""), answer(1), (message(1, 2, b"a"),))
    with pytest.raises(CannotExpress, match="a text of the client over HTTP"):
        write_script(Recording(NOTHING, (odd,)))


def test_a_text_is_never_taken_for_json_that_was_put_aside() -> None:
    """Though it is spelled as the word that could stand for that."""
    assert sent(r'chunk: "json\x2d0-7"') == [(PieceKind.CHUNK, b"json-0-7")]


def test_an_anchor_may_be_used_anew() -> None:
    """An alias means the last one before it."""
    steps = ("chunk: &x a", "chunk: *x", "chunk: &x b", "chunk: *x")
    assert [data for _, data in sent(*steps)] == [b"a", b"a", b"b", b"b"]
