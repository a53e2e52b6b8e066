"""Scripts with one mistake each, and what a person is told."""

from dataclasses import dataclass

EVERYTHING = """\
wiretape_script: 1
tape:
  made_by: record
  started: "2026-01-02T03:04:05Z"
  clock: monotonic
  command: [codex, exec]
  source: a.db
  wiretape: 0.1.0
  is_closed: false
exchanges:
- request: {method: POST, scheme: https, host: h, port: 1, target: /v1/responses}
  number: 3
  at_ms: 12.5
  connection: 2
  upstream: http://127.0.0.1:1
  http: HTTP/2.0
  headers:
  - a: 1
  - a: {"b": 2}
  body_after_ms: 1
  body:
    base64: AAE=
  body_is_whole: false
  answer:
    after_ms: 2
    status: 200
    reason: Fine
    http: HTTP/1.1
    headers: {}
  steps:
  - wait_ms: 0.001
  - at_ms: 13
  - &one {"type": "a"}
  - *one
  - together: [{type: a}, {type: b}]
  - data: "[DONE]"
  - chunk: |+
      : keep-alive

  end:
    after_ms: 3
    how: reset
    side: none
    code: 1
    reason: none
    detail: so it was
  gaps:
  - at_ms: 1
    until_ms: 2
    exchange: none
    lost_facts: 1
    lost_bytes: 2
    reason: the disk was full
- request: websocket http://localhost:8080/v1/responses
  steps:
  - client: {"type": "response.create", "...": ""}
  - text: hello
  - binary: {base64: /w==}
  - ping: a
  - pong:
  - undecoded: b
  - client: any
  - close: 1011 why
  end: server_closed
"""
"""A script with everything that a script can say."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """``is_structural``: the schema forbids it too."""

    script: str
    told: str
    is_structural: bool = True


def exchange(*lines: str) -> str:
    """A script of one exchange, which has these lines from line 4 on."""
    return "\n".join(
        (
            "wiretape_script: 1",
            "exchanges:",
            "- request: POST /v1/responses",
            *(f"  {line}" for line in lines),
            "",
        )
    )


def socket(*steps: str) -> str:
    """A script of one socket, which has these steps from line 5 on."""
    return exchange("steps:", *steps).replace("POST", "websocket")


_STEP_NAMES = "data, together, chunk, text, binary, ping, pong, close, undecoded"

MISTAKES = {
    "no YAML": Mistake(
        "wiretape_script: 1\nexchanges: [\n",
        "line 3: this is no YAML (while parsing a flow node "
        "expected the node content, but found '<stream end>')",
        is_structural=False,
    ),
    "a tab": Mistake(
        "wiretape_script: 1\nexchanges:\n\t- request: POST /v1/responses\n",
        "line 3: this is no YAML (while scanning for the next token "
        "found character '\\t' that cannot start any token)",
        is_structural=False,
    ),
    "no version": Mistake("exchanges: []\n", "line 1: `wiretape_script: …` is missing here"),
    "a later version": Mistake(
        "wiretape_script: 2\n",
        "line 1: it is in version 2 of the format, and this wiretape reads version 1: "
        "use a wiretape that knows it",
    ),
    "a list": Mistake(
        "- wiretape_script: 1\n",
        "line 1: names with values are expected here, like `name: value`",
    ),
    "an unknown member": Mistake(
        exchange("stepps: []"),
        "line 4: there is no `stepps` here, only number, request, at_ms, connection, upstream, "
        "http, headers, body_after_ms, body_at_ms, body, body_is_whole, answer, steps, end, gaps",
    ),
    "a member twice": Mistake(
        exchange("steps: []", "steps: []"),
        "line 5: 'steps' stands here twice: remove one",
        is_structural=False,
    ),
    "no request": Mistake(
        "wiretape_script: 1\nexchanges:\n- answer: 200\n",
        "line 3: `request: …` is missing here",
    ),
    "a request without a method": Mistake(
        "wiretape_script: 1\nexchanges:\n- request: /v1/responses\n",
        "line 3: '/v1/responses' is no request: write `POST /v1/responses`, or "
        "`websocket https://host:port/v1/responses`",
    ),
    "steps that are no list": Mistake(
        exchange("steps: hello"), "line 4: a list is expected here: begin each line with `- `"
    ),
    "a step that is a text": Mistake(
        exchange("steps:", "- hello"), "line 5: a step is a mapping, not the text 'hello'"
    ),
    "an unknown step": Mistake(
        exchange("steps:", "- txet: hello"),
        f"line 5: a step is an event, which has a `type`, or one of {_STEP_NAMES}: this has txet",
    ),
    "two steps in one": Mistake(
        exchange("steps:", "- chunk: a", "  data: b"),
        f"line 5: a step is an event, which has a `type`, or one of {_STEP_NAMES}: "
        "this has chunk, data",
    ),
    "a message over HTTP": Mistake(
        exchange("steps:", "- text: hello"),
        "line 5: there is no `text` in the answer to a request over HTTP",
        is_structural=False,
    ),
    "a chunk on a socket": Mistake(
        socket("- chunk: hello"), "line 5: there is no `chunk` on a WebSocket", is_structural=False
    ),
    "a client that speaks over HTTP": Mistake(
        exchange("steps:", "- client: any"),
        "line 5: only on a WebSocket a client sends steps: use `body`",
        is_structural=False,
    ),
    "a client that says nothing known": Mistake(
        socket("- client: hello"), "line 5: `client: hello` is neither `any` nor a message"
    ),
    "a close frame without a code": Mistake(
        socket("- close: why"), "line 5: `close: why` has no code: write `close: 1011 why`"
    ),
    "data on two lines": Mistake(
        exchange("steps:", '- data: "a\\nb"'),
        "line 5: `data` is one line: write the event as a `chunk`",
        is_structural=False,
    ),
    "no base64": Mistake(
        exchange("body:", "  base64: '***'"),
        "line 5: this is no base64: use `text: …` for what is text",
        is_structural=False,
    ),
    "a body that is a word": Mistake(
        exchange("body: hello"), "line 4: a body is JSON, `text: …`, `base64: …`, or none"
    ),
    "a time in words": Mistake(
        exchange("steps:", "- wait_ms: long"),
        "line 5: 'long' is no time: give milliseconds, like 250 or 0.125",
    ),
    "a time that goes back": Mistake(
        exchange("steps:", "- wait_ms: -3"),
        "line 5: nothing takes -3 ms: where a clock went back, give the time since the recording "
        "began instead, as `at_ms` (`body_at_ms` for a body)",
    ),
    "less than a microsecond": Mistake(
        exchange("steps:", "- wait_ms: 0.0001"),
        "line 5: '0.0001' is no time: give milliseconds, like 250 or 0.125",
        is_structural=False,
    ),
    "a status in words": Mistake(exchange("answer: ok"), "line 4: 'ok' is no whole number"),
    "a status that is none": Mistake(
        exchange("answer: 9999"), "line 4: '9999' is no status: write three digits, like 503"
    ),
    "a status in full that is none": Mistake(
        exchange("answer:", "  status: 99"),
        "line 5: '99' is no status: write three digits, like 503",
    ),
    "a close code that is too large": Mistake(
        exchange("end: {how: websocket_closed, code: 65536}"),
        "line 4: '65536' is no close code: 65535 is the last",
    ),
    "a close frame that is too long": Mistake(
        socket(f"- close: 1011 {'x' * 124}"),
        "line 5: a `close` holds 125 bytes at most, two of a close frame being its code, and this "
        "has 126: shorten it",
        is_structural=False,
    ),
    "a ping that is too long": Mistake(
        socket(f"- ping: {'x' * 126}"),
        "line 5: a `ping` holds 125 bytes at most, two of a close frame being its code, and this "
        "has 126: shorten it",
        is_structural=False,
    ),
    "JSON without a value": Mistake(
        exchange("steps:", '- {"type": "a", "id": }'),
        "line 5: 'id' has no value here: write null, or one",
        is_structural=False,
    ),
    "a header that is no Latin-1": Mistake(
        exchange("headers:", "  x: fine ✓"),
        "line 5: 'fine ✓' cannot stand in a head: it is no Latin-1",
        is_structural=False,
    ),
    "an unknown end": Mistake(
        exchange("end: dropped"),
        "line 4: 'dropped' is none of complete, websocket_closed, client_closed, server_closed, "
        "reset, refused, tls_failure, protocol_error, recorder_stopped",
    ),
    "numbers that go back": Mistake(
        exchange("number: 0"),
        "line 3: exchange 0 does not come after the one before",
    ),
    "no time of day": Mistake(
        "wiretape_script: 1\ntape: {started: today}\n",
        "line 2: this is no time: write 2026-01-02T03:04:05Z",
        is_structural=False,
    ),
    "half a character": Mistake(
        exchange("steps:", '- {"type": "\\ud800"}'),
        "line 5: a text holds half a character (a lone surrogate): write it as base64",
        is_structural=False,
    ),
}
