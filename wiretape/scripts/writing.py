"""From a recording to the text of its script: only what does not go without saying."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from wiretape.facts import End, Gap, Headers, RequestBody, RequestHead, ResponseHead, host_in_url
from wiretape.recording import Recording, WholeExchange
from wiretape.scripts import defaults
from wiretape.scripts.emission import emitted
from wiretape.scripts.fields import NONE
from wiretape.scripts.layout import Word, writable_json
from wiretape.scripts.payloads import Payload, Short, short_data, short_payload
from wiretape.scripts.reading import EPOCH, VERSION, short_address
from wiretape.store_writer import TapeLabel

_AT: Final = {
    "wait_ms": "at_ms",
    "after_ms": "at_ms",
    "body_after_ms": "body_at_ms",
}
_TITLE = "# A script of wiretape: docs/scripts.md describes it.\n"


def write_script(recording: Recording) -> str:
    """The script that stands for a recording.

    Raises:
        CannotExpress: something crossed that cannot cross.
    """
    tree: dict[str, Short] = {"wiretape_script": Word(str(VERSION))}
    label = _label(recording.label) | ({} if recording.is_closed else {"is_closed": Word("false")})
    if label:
        tree["tape"] = label
    tree["exchanges"] = tuple(
        _exchange(each, before)
        for before, each in zip((None, *recording.exchanges), recording.exchanges, strict=False)
    )
    if recording.gaps:
        tree["gaps"] = tuple(_gap(gap, None) for gap in recording.gaps)
    return _TITLE + emitted(tree)


def _exchange(exchange: WholeExchange, before: WholeExchange | None) -> Short:
    request, body, response = exchange.request, exchange.body, exchange.response
    tree: dict[str, Short] = {"request": _address(request)}
    if exchange.id != (1 if before is None else before.id + 1):
        tree["number"] = Word(str(exchange.id))
    if request.at_us != (0 if before is None else before.until_us):
        tree["at_ms"] = _ms(request.at_us)
    if request.connection != exchange.id:
        tree["connection"] = Word(str(request.connection))
    if request.upstream is not None:
        tree["upstream"] = request.upstream
    if request.http_version != defaults.HTTP_VERSION:
        tree["http"] = request.http_version
    if request.headers and not (_is_websocket(request) and request.headers == defaults.UPGRADE):
        tree["headers"] = _headers(request.headers)
    tree |= _body(body, request.at_us)
    now_us = request.at_us if body is None else body.at_us
    tree |= _answer(response, request, now_us)
    now_us = now_us if response is None else response.at_us
    if exchange.pieces:
        tree["steps"] = tuple(_steps(exchange, now_us))
        now_us = exchange.pieces[-1].at_us
    tree |= _end(exchange, now_us)
    if exchange.gaps:
        tree["gaps"] = tuple(_gap(gap, exchange.id) for gap in exchange.gaps)
    return tree


def _is_websocket(request: RequestHead) -> bool:
    return request.method == "GET" and request.is_upgrade


def _address(request: RequestHead) -> Short:
    method = defaults.WEBSOCKET if _is_websocket(request) else request.method
    port = "" if request.port == defaults.PORTS.get(request.scheme) else f":{request.port}"
    host = host_in_url(request.host)
    short = f"{method} {request.scheme}://{host}{port}{request.target}"
    whole = (method, request.scheme, request.host, request.port, request.target)
    if short_address(short) == whole:
        return short
    return {
        "method": method,
        "scheme": request.scheme,
        "host": request.host,
        "port": Word(str(request.port)),
        "target": request.target,
    }


def _body(body: RequestBody | None, before_us: int) -> dict[str, Short]:
    if body is None:
        return {"body": Word(NONE)}
    tree = _after("body_after_ms", body.at_us, before_us)
    if body.data or not body.is_whole:
        data = short_data(body.data)
        tree["body"] = {"text": data} if isinstance(data, str) else data
    if not body.is_whole:
        tree["body_is_whole"] = Word("false")
    return tree


def _answer(response: ResponseHead | None, request: RequestHead, now_us: int) -> dict[str, Short]:
    if response is None:
        return {"answer": Word(NONE)}
    usual = defaults.status_of(request)
    tree = _after("after_ms", response.at_us, now_us)
    if response.status != usual:
        tree["status"] = Word(str(response.status))
    if response.reason != defaults.reason_of(response.status):
        tree["reason"] = response.reason
    if response.http_version != request.http_version:
        tree["http"] = response.http_version
    if response.headers != defaults.answer_headers(response.status):
        tree["headers"] = _headers(response.headers)
    if tree.keys() == {"status"}:
        return {"answer": tree["status"]}
    return {"answer": tree} if tree else {}


def _steps(exchange: WholeExchange, now_us: int) -> Iterator[Short]:
    for piece in exchange.pieces:
        yield from filter(None, [_after("wait_ms", piece.at_us, now_us)])
        now_us = piece.at_us
        payload = Payload(piece.sender, piece.kind, piece.data)
        yield short_payload(payload, is_websocket=exchange.is_websocket)


def _end(exchange: WholeExchange, now_us: int) -> dict[str, Short]:
    end = exchange.end
    if end is None:
        return {"end": Word(NONE)}
    usual_how, close = defaults.end_of(exchange.response, exchange.pieces)
    if end == defaults.end_with(exchange.id, now_us, usual_how, close):
        return {}
    if end == (usual := defaults.end_with(exchange.id, now_us, end.how, close)):
        return {"end": str(end.how)}
    tree = _after("after_ms", end.at_us, now_us)
    if end.how != usual_how:
        tree["how"] = str(end.how)
    return {"end": tree | _not_usual(end, usual)}


def _not_usual(end: End, usual: End) -> dict[str, Short]:
    told: dict[str, Short] = {}
    if end.side != usual.side:
        told["side"] = Word(NONE) if end.side is None else str(end.side)
    if end.code != usual.code:
        told["code"] = Word(NONE if end.code is None else str(end.code))
    if end.reason != usual.reason:
        told["reason"] = Word(NONE) if end.reason is None else end.reason
    if end.detail is not None:
        told["detail"] = end.detail
    return told


def _gap(gap: Gap, exchange: int | None) -> Short:
    tree: dict[str, Short] = {"at_ms": _ms(gap.at_us)}
    if gap.until_us != gap.at_us:
        tree["until_ms"] = _ms(gap.until_us)
    if gap.exchange != exchange:
        tree["exchange"] = Word(NONE if gap.exchange is None else str(gap.exchange))
    if gap.lost_facts:
        tree["lost_facts"] = Word(str(gap.lost_facts))
    if gap.lost_bytes:
        tree["lost_bytes"] = Word(str(gap.lost_bytes))
    return tree | {"reason": gap.reason}


def _label(label: TapeLabel) -> dict[str, Short]:
    usual = TapeLabel(defaults.MADE_BY, 0, defaults.MADE_BY)
    if label == usual:
        return {}
    started = EPOCH + timedelta(microseconds=label.started_at_us)
    tree: dict[str, Short] = {
        "made_by": label.made_by,
        "started": f"{started:%Y-%m-%dT%H:%M:%S.%f}Z",
        "clock": label.clock,
    }
    if label.command is not None:
        tree["command"] = _words(label.command)
    if label.source is not None:
        tree["source"] = label.source
    if label.faults is not None:
        tree["faults"] = _words(label.faults)
    return tree | {"wiretape": label.wiretape_version}


def _words(told: str) -> Short:
    """A list of words, where that is what the JSON holds."""
    try:
        words = json.loads(told)
    except ValueError:
        return told
    is_list = isinstance(words, list) and all(isinstance(word, str) for word in words)
    return tuple(words) if is_list and json.dumps(words) == told else told


def _headers(headers: Headers) -> Short:
    told: list[tuple[str, Short]] = [
        (name, writable_json(value) or value) for name, value in headers
    ]
    if len(dict(told)) == len(told):
        return dict(told)
    return tuple({name: value} for name, value in told)


def _after(name: str, at_us: int, before_us: int) -> dict[str, Short]:
    """How long something took; where the recorded clock went back meanwhile, when it was."""
    if at_us < before_us:
        return {_AT[name]: _ms(at_us)}
    return {name: _ms(at_us - before_us)} if at_us != before_us else {}


def _ms(us: int) -> Word:
    """Microseconds as milliseconds, with as many decimals as it takes."""
    sign, us = ("-", -us) if us < 0 else ("", us)
    whole, rest = divmod(us, 1000)
    return Word(f"{sign}{whole}.{rest:03d}".rstrip("0").rstrip("."))
