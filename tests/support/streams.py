"""Golden event streams: bytes as servers send them, and what the standard makes of them.

Each stands for one way of writing a stream. ``RESPONSES`` are Responses API streams as a client
receives them; ``ODDITIES`` are the corners of the standard.
"""

from collections.abc import Iterator
from dataclasses import dataclass

type Dispatched = tuple[str, str, str, int | None]
"""Event type, data, last event id, reconnection time in milliseconds."""


@dataclass(frozen=True)
class GoldenStream:
    """A stream, the events that it dispatches, and the bytes after the last of them."""

    name: str
    data: bytes
    events: tuple[Dispatched, ...]
    leftover: bytes = b""


def stream_of(*payloads: str) -> bytes:
    """A stream as the Responses API writes it: ``event`` and ``data`` lines for each payload."""
    return b"".join(
        f"event: {_type_of(payload)}\ndata: {payload}\n\n".encode() for payload in payloads
    )


def _type_of(payload: str) -> str:
    return payload.split('"type":"', 1)[1].split('"', 1)[0]


def every_split(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The data cut in two at every place, both ends included."""
    return ((data[:at], data[at:]) for at in range(len(data) + 1))


ANSWER = (
    '{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response",'
    '"status":"in_progress","model":"gpt-5.2-codex","output":[]}}',
    '{"type":"response.in_progress","sequence_number":1,"response":{"id":"resp_1",'
    '"status":"in_progress","output":[]}}',
    '{"type":"response.output_item.added","sequence_number":2,"output_index":0,'
    '"item":{"id":"msg_1","type":"message","status":"in_progress","role":"assistant","content":[]}}',
    '{"type":"response.content_part.added","sequence_number":3,"item_id":"msg_1","output_index":0,'
    '"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}}',
    '{"type":"response.output_text.delta","sequence_number":4,"item_id":"msg_1","output_index":0,'
    '"content_index":0,"delta":"Grüße,"}',
    '{"type":"response.output_text.delta","sequence_number":5,"item_id":"msg_1","output_index":0,'
    '"content_index":0,"delta":" 世界\u2028🙂"}',
    '{"type":"response.output_text.done","sequence_number":6,"item_id":"msg_1","output_index":0,'
    '"content_index":0,"text":"Grüße, 世界\u2028🙂"}',
    '{"type":"response.content_part.done","sequence_number":7,"item_id":"msg_1","output_index":0,'
    '"content_index":0,"part":{"type":"output_text","text":"Grüße, 世界\u2028🙂"}}',
    '{"type":"response.output_item.done","sequence_number":8,"output_index":0,'
    '"item":{"id":"msg_1","type":"message","status":"completed","role":"assistant",'
    '"content":[{"type":"output_text","text":"Grüße, 世界\u2028🙂","annotations":[]}]}}',
    '{"type":"response.completed","sequence_number":9,"response":{"id":"resp_1",'
    '"status":"completed","usage":{"input_tokens":120,"input_tokens_details":{"cached_tokens":64},'
    '"output_tokens":9,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":129}}}',
)
"""A short answer, from created to completed."""

TOOL_CALL = (
    '{"type":"response.created","sequence_number":0,"response":{"id":"resp_2","status":"in_progress"}}',
    '{"type":"response.output_item.added","sequence_number":1,"output_index":0,'
    '"item":{"id":"rs_1","type":"reasoning","summary":[]}}',
    '{"type":"response.reasoning_summary_part.added","sequence_number":2,"item_id":"rs_1",'
    '"output_index":0,"summary_index":0,"part":{"type":"summary_text","text":""}}',
    '{"type":"response.reasoning_summary_text.delta","sequence_number":3,"item_id":"rs_1",'
    '"output_index":0,"summary_index":0,"delta":"**Listing"}',
    '{"type":"response.reasoning_summary_text.delta","sequence_number":4,"item_id":"rs_1",'
    '"output_index":0,"summary_index":0,"delta":" files**"}',
    '{"type":"response.reasoning_summary_text.done","sequence_number":5,"item_id":"rs_1",'
    '"output_index":0,"summary_index":0,"text":"**Listing files**"}',
    '{"type":"response.reasoning_summary_part.done","sequence_number":6,"item_id":"rs_1",'
    '"output_index":0,"summary_index":0,"part":{"type":"summary_text","text":"**Listing files**"}}',
    '{"type":"response.output_item.done","sequence_number":7,"output_index":0,'
    '"item":{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text",'
    '"text":"**Listing files**"}],"encrypted_content":"gAAAAA"}}',
    '{"type":"response.output_item.added","sequence_number":8,"output_index":1,'
    '"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"",'
    '"call_id":"call_1","name":"shell"}}',
    '{"type":"response.function_call_arguments.delta","sequence_number":9,"item_id":"fc_1",'
    '"output_index":1,"delta":"{\\"command\\":"}',
    '{"type":"response.function_call_arguments.delta","sequence_number":10,"item_id":"fc_1",'
    '"output_index":1,"delta":"[\\"ls\\"]}"}',
    '{"type":"response.function_call_arguments.done","sequence_number":11,"item_id":"fc_1",'
    '"output_index":1,"arguments":"{\\"command\\":[\\"ls\\"]}"}',
    '{"type":"response.output_item.done","sequence_number":12,"output_index":1,'
    '"item":{"id":"fc_1","type":"function_call","status":"completed",'
    '"arguments":"{\\"command\\":[\\"ls\\"]}","call_id":"call_1","name":"shell"}}',
    '{"type":"response.completed","sequence_number":13,"response":{"id":"resp_2",'
    '"status":"completed","usage":{"input_tokens":200,"input_tokens_details":{"cached_tokens":128},'
    '"output_tokens":40,"output_tokens_details":{"reasoning_tokens":24},"total_tokens":240}}}',
)
"""Reasoning with a summary, then a function call."""


def _typed(payloads: tuple[str, ...]) -> tuple[Dispatched, ...]:
    return tuple((_type_of(payload), payload, "", None) for payload in payloads)


RESPONSES = (
    GoldenStream("an answer", stream_of(*ANSWER), _typed(ANSWER)),
    GoldenStream("a tool call", stream_of(*TOOL_CALL), _typed(TOOL_CALL)),
)

ODDITIES = (
    GoldenStream("nothing", b"", ()),
    GoldenStream(
        "LF",
        b"event: a\ndata: 1\n\ndata: 2\n\n",
        (("a", "1", "", None), ("message", "2", "", None)),
    ),
    GoldenStream(
        "CR",
        b"event: a\rdata: 1\r\rdata: 2\r\r",
        (("a", "1", "", None), ("message", "2", "", None)),
    ),
    GoldenStream(
        "CRLF",
        b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
        (("a", "1", "", None), ("message", "2", "", None)),
    ),
    GoldenStream(
        "mixed line ends",
        b"data: 1\n\r\ndata: 2\r\ndata: 3\r\n\rdata: 4\n\ndata: 5\r\r\n",
        (
            ("message", "1", "", None),
            ("message", "2\n3", "", None),
            ("message", "4", "", None),
            ("message", "5", "", None),
        ),
    ),
    GoldenStream(
        "LF CR is two line ends",
        b"data: 1\n\rdata: 2\n\n\r",
        (("message", "1", "", None), ("message", "2", "", None)),
        b"\r",
    ),
    GoldenStream(
        "a stock ticker of several data lines",
        b"data: YHOO\ndata: +2\ndata: 10\n\n",
        (("message", "YHOO\n+2\n10", "", None),),
    ),
    GoldenStream(
        "four blocks with comments and ids",
        b": test\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
        (("message", "first event", "1", None), ("message", "second event", "", None)),
        b"data:  third event\n",
    ),
    GoldenStream(
        "data without value",
        b"data\n\ndata\ndata\n\ndata:",
        (("message", "", "", None), ("message", "\n", "", None)),
        b"data:",
    ),
    GoldenStream(
        "one space after the colon",
        b"data:test\n\ndata: test\n\ndata:  test\n\n",
        (
            ("message", "test", "", None),
            ("message", "test", "", None),
            ("message", " test", "", None),
        ),
    ),
    GoldenStream(
        "keep-alives between events",
        b": ping\n\n:\r\n\r\ndata: 1\n\n: ping\n\n",
        (("message", "1", "", None),),
        b": ping\n\n",
    ),
    GoldenStream(
        "ids and retries stay in force",
        b"id: 7\nretry: 3000\n\ndata: 1\n\nid: 8\ndata: 2\n\nretry: 10\ndata: 3\n\nid\ndata: 4\n\n",
        (
            ("message", "1", "7", 3000),
            ("message", "2", "8", 3000),
            ("message", "3", "8", 10),
            ("message", "4", "", 10),
        ),
    ),
    GoldenStream(
        "a byte order mark",
        b"\xef\xbb\xbfdata: 1\n\n\xef\xbb\xbfdata: 2\n\ndata: 3\n\n",
        (("message", "1", "", None), ("message", "3", "", None)),
    ),
    GoldenStream(
        "characters that end no line",
        "data: a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg\n\n".encode(),
        (("message", "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg", "", None),),
    ),
    GoldenStream(
        "bytes that are not UTF-8",
        b"data: \xff\xe2\x82 \xed\xa0\x80\ndata: \xf0\x9f\n\n",
        (("message", "\ufffd\ufffd \ufffd\ufffd\ufffd\n\ufffd", "", None),),
    ),
    GoldenStream(
        "cut inside an event",
        b"data: 1\n\nevent: a\ndata: 2\n",
        (("message", "1", "", None),),
        b"event: a\ndata: 2\n",
    ),
    GoldenStream(
        "cut inside a character",
        b"data: 1\n\ndata: \xe4\xb8",
        (("message", "1", "", None),),
        b"data: \xe4\xb8",
    ),
)

GOLDEN = RESPONSES + ODDITIES
