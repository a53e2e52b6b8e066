"""From the text of a script to the recording that it stands for."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from wiretape.facts import (
    End,
    EndKind,
    Gap,
    Headers,
    Piece,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
    header,
)
from wiretape.recording import Recording, WholeExchange
from wiretape.scripts import defaults
from wiretape.scripts.fields import (
    NONE,
    Fields,
    close_code_or_none,
    latin_of,
    listed,
    number_of,
    number_or_none,
    one_of,
    status_of,
    text_of,
    text_or_none,
    truth_of,
    us_of,
    wait_of,
)
from wiretape.scripts.layout import JsonText, Part, ScriptFault, Word, members, parse_layout
from wiretape.scripts.payloads import data_from, payload_from
from wiretape.store_writer import TapeLabel

VERSION: Final = 1
_TIME: Final = re.compile(r'\{\s*"(?:wait|at)_ms"')
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def read_script(text: str) -> Recording:
    """The recording that a script stands for.

    Raises:
        ScriptFault: there is a mistake in it.
    """
    script = Fields(parse_layout(text), "wiretape_script", "tape", "exchanges", "gaps")
    version = number_of(script.needed("wiretape_script"))
    if version != VERSION:
        raise ScriptFault(
            script.needed("wiretape_script").line,
            f"it is in version {version} of the format, and this wiretape reads version "
            f"{VERSION}: use a wiretape that knows it",
        )
    exchanges: list[WholeExchange] = []
    for part in listed(script.given("exchanges")):
        exchanges.append(_exchange(part, exchanges[-1] if exchanges else None))
    gaps = tuple(_gap(part, None) for part in listed(script.given("gaps")))
    label, is_closed = _label(script.given("tape"))
    return Recording(label, tuple(exchanges), gaps, is_closed)


@dataclass(slots=True)
class _Clock:
    """The time that has come, as a script is read on."""

    now_us: int

    def move(self, fields: Fields, after: str, at: str) -> int:
        """The time so much later as the member ``after`` says, or what ``at`` says, which may be
        earlier: a clock that was recorded can go back. With neither, the same."""
        self.now_us = fields.read(at, us_of, self.now_us) + fields.read(after, wait_of, 0)
        return self.now_us


def _exchange(part: Part, before: WholeExchange | None) -> WholeExchange:
    fields = Fields(
        part,
        *("number", "request", "at_ms", "connection", "upstream", "http", "headers"),
        *("body_after_ms", "body_at_ms", "body", "body_is_whole", "answer", "steps", "end", "gaps"),
    )
    number = fields.read("number", number_of, 1 if before is None else before.id + 1)
    if number <= (0 if before is None else before.id):
        raise ScriptFault(fields.line, f"exchange {number} does not come after the one before")
    clock = _Clock(0 if before is None else before.until_us)
    clock.now_us = fields.read("at_ms", us_of, clock.now_us)
    request = _request(fields, number, clock)
    body = _body(fields, number, clock)
    response = _answer(fields, request, clock)
    is_websocket = response is not None and response.status == 101
    pieces: list[Piece] = []
    for step in listed(fields.given("steps")):
        if _is_time(step):
            clock.move(Fields(step, "wait_ms", "at_ms"), "wait_ms", "at_ms")
        else:
            payload = payload_from(step, is_websocket=is_websocket)
            pieces.append(Piece(number, clock.now_us, payload.sender, payload.kind, payload.data))
    end = _end(fields.given("end"), number, clock, defaults.end_of(response, tuple(pieces)))
    gaps = tuple(_gap(each, number) for each in listed(fields.given("gaps")))
    return WholeExchange(request, body, response, tuple(pieces), end, gaps)


def _is_time(step: Part) -> bool:
    """Whether a step says that time goes by, be it written as YAML or as JSON."""
    # Nearly all steps are events, which are not read twice for this.
    if isinstance(step.value, JsonText) and not _TIME.match(step.value.text):
        return False
    is_mapping = isinstance(step.value, dict | JsonText)
    return is_mapping and members(step).keys() in ({"wait_ms"}, {"at_ms"})


def _request(fields: Fields, number: int, clock: _Clock) -> RequestHead:
    part = fields.needed("request")
    method, scheme, host, port, target = (
        _short_request(part) if isinstance(part.value, Word) else _long_request(part)
    )
    headers = fields.read("headers", _headers, ())
    if method == defaults.WEBSOCKET:
        method = "GET"
        if header(headers, "upgrade") is None:
            headers = (*defaults.UPGRADE, *headers)
    return RequestHead(
        number,
        clock.now_us,
        fields.read("connection", number_of, number),
        method,
        scheme,
        host,
        port,
        target,
        fields.read("http", text_of, defaults.HTTP_VERSION),
        headers,
        fields.read("upstream", text_of, None),
    )


def _short_request(part: Part) -> tuple[str, str, str, int, str]:
    address = short_address(latin_of(part))
    if address is None:
        raise ScriptFault(
            part.line,
            f"{text_of(part)!r:.60} is no request: write `POST /v1/responses`, or "
            "`websocket https://host:port/v1/responses`",
        )
    return address


def short_address(text: str) -> tuple[str, str, str, int, str] | None:
    """Method, scheme, host, port and target in ``POST https://host/target``, if it is that."""
    method, _, url = text.partition(" ")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme or defaults.SCHEME, parts.hostname or defaults.HOST
    if not method or not url or scheme not in defaults.PORTS:
        return None
    target = url.removeprefix(f"{parts.scheme}://{parts.netloc}") if parts.scheme else url
    if not target.startswith("/") or target.startswith("//"):
        return None
    return method, scheme, host, defaults.PORTS[scheme] if port is None else port, target


def _long_request(part: Part) -> tuple[str, str, str, int, str]:
    fields = Fields(part, "method", "scheme", "host", "port", "target")
    texts = [latin_of(fields.needed(name)) for name in ("method", "scheme", "host", "target")]
    return texts[0], texts[1], texts[2], number_of(fields.needed("port")), texts[3]


def _body(fields: Fields, number: int, clock: _Clock) -> RequestBody | None:
    at_us = clock.move(fields, "body_after_ms", "body_at_ms")
    part = fields.given("body")
    if part is None:
        return RequestBody(number, at_us, b"")
    if isinstance(part.value, Word):
        if part.value.text == NONE:
            return None
        raise ScriptFault(part.line, "a body is JSON, `text: …`, `base64: …`, or none")
    is_whole = fields.read("body_is_whole", truth_of, True)
    return RequestBody(number, at_us, data_from(part), is_whole)


def _answer(fields: Fields, request: RequestHead, clock: _Clock) -> ResponseHead | None:
    part = fields.given("answer")
    status = defaults.status_of(request)
    version = request.http_version
    reason = headers = None
    if part is not None and isinstance(part.value, Word):
        if part.value.text == NONE:
            return None
        status = status_of(part)
    elif part is not None:
        answer = Fields(part, "after_ms", "at_ms", "status", "reason", "http", "headers")
        clock.move(answer, "after_ms", "at_ms")
        status = answer.read("status", status_of, status)
        version = answer.read("http", text_of, version)
        reason = answer.read("reason", latin_of, None)
        headers = answer.read("headers", _headers, None)
    return ResponseHead(
        request.exchange,
        clock.now_us,
        status,
        defaults.reason_of(status) if reason is None else reason,
        version,
        defaults.answer_headers(status) if headers is None else headers,
    )


def _end(
    part: Part | None, number: int, clock: _Clock, default: tuple[EndKind, bytes]
) -> End | None:
    how, close = default
    if part is None:
        return defaults.end_with(number, clock.now_us, how, close)
    if isinstance(part.value, Word):
        if part.value.text == NONE:
            return None
        return defaults.end_with(number, clock.now_us, one_of(EndKind, part), close)
    fields = Fields(part, "after_ms", "at_ms", "how", "side", "code", "reason", "detail")
    at_us = clock.move(fields, "after_ms", "at_ms")
    end = defaults.end_with(number, at_us, fields.read("how", _how, how), close)
    return End(
        number,
        at_us,
        end.how,
        fields.read("side", _side, end.side),
        fields.read("code", close_code_or_none, end.code),
        fields.read("reason", text_or_none, end.reason),
        fields.read("detail", text_or_none, None),
    )


def _how(part: Part) -> EndKind:
    return one_of(EndKind, part)


def _side(part: Part) -> Sender | None:
    return None if text_of(part) == NONE else one_of(Sender, part)


def _gap(part: Part, exchange: int | None) -> Gap:
    fields = Fields(part, "at_ms", "until_ms", "exchange", "lost_facts", "lost_bytes", "reason")
    at_us = us_of(fields.needed("at_ms"))
    return Gap(
        at_us,
        fields.read("until_ms", us_of, at_us),
        fields.read("exchange", number_or_none, exchange),
        fields.read("lost_facts", number_of, 0),
        fields.read("lost_bytes", number_of, 0),
        text_of(fields.needed("reason")),
    )


def _label(part: Part | None) -> tuple[TapeLabel, bool]:
    """What the tape says of itself, and whether it was closed."""
    if part is None:
        return TapeLabel(defaults.MADE_BY, 0, defaults.MADE_BY), True
    fields = Fields(
        part,
        "made_by",
        "started",
        "clock",
        "command",
        "source",
        "wiretape",
        "faults",
        "is_closed",
    )
    label = TapeLabel(
        fields.read("made_by", text_of, defaults.MADE_BY),
        fields.read("started", _started_at_us, 0),
        fields.read("clock", text_of, defaults.MADE_BY),
        fields.read("command", _words, None),
        fields.read("source", text_of, None),
        fields.read("wiretape", text_of, TapeLabel("", 0, "").wiretape_version),
        fields.read("faults", _words, None),
    )
    return label, fields.read("is_closed", truth_of, True)


def _started_at_us(part: Part) -> int:
    try:
        started = datetime.fromisoformat(text_of(part))
        return (started - EPOCH) // timedelta(microseconds=1)
    except (ValueError, TypeError) as error:
        raise ScriptFault(part.line, "this is no time: write 2026-01-02T03:04:05Z") from error


def _words(part: Part) -> str:
    if isinstance(part.value, tuple):
        return json.dumps([text_of(each) for each in part.value])
    return text_of(part)


def _headers(part: Part) -> Headers:
    """A mapping, or where a name stands twice, a list of mappings with one name each."""
    some = part.value if isinstance(part.value, tuple) else (part,)
    return tuple((name, latin_of(value)) for each in some for name, value in members(each).items())
