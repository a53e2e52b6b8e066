"""How values are written on a page. Every text that a page shows goes through :func:`shown`."""

from datetime import UTC, datetime
from typing import Any, Final

from markupsafe import Markup

from inspector_web.addresses import changed
from inspector_web.health import named
from inspector_web.json_view import Token, laid_out
from inspector_web.markdown import rendered
from inspector_web.parted import Run, parted
from inspector_web.stretches import LONG_WAIT_US, NAMES, Span
from inspector_web.visible import visible
from wiretape.words import counted, duration, requests_told, size, warm_ups_told

_MOST_PARTED: Final = 1500
"""Tokens of a value that is laid beside another."""
_LONGEST_PARTED: Final = 100_000
"""Characters of a string in it: a change may stand deep in a long prompt."""

SIGNS = {"good": "✓", "note": "·", "warn": "!", "bad": "✕"}
"""The sign that goes with a tone, so that no colour is the only one."""


def shown(value: Any) -> Any:
    """Makes recorded text safe to read; the templates call it on everything they write."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


def axis(us: int) -> str:
    """A round offset: ``0``, ``250 ms``, ``1.5 s``, ``1 min``, ``90 s``, ``2 min 30 s``."""
    if us == 0:
        return "0"
    if us < 1000:
        return f"{us} µs"
    if us < 1_000_000:
        return f"{us / 1000:g} ms"
    if us < 120_000_000 and us != 60_000_000:
        return f"{us / 1e6:g} s"
    minutes, seconds = divmod(us // 1_000_000, 60)
    return f"{minutes} min {seconds} s" if seconds else f"{minutes} min"


def silence(us: int | None) -> str:
    """A session's longest silence that counts as long: ``3.0 s``, ``none of 1.0 s or more``."""
    return f"none of {duration(LONG_WAIT_US)} or more" if us is None else duration(us)


def seconds(us: int) -> str:
    """An offset with its milliseconds, for a column: ``1.234``."""
    return f"{us / 1e6:,.3f}"


def reach(span: Span) -> str:
    """The seconds that lie within a span, to be typed: ``3.4 to 35.3``, ``0.1 to 1.901``."""
    step_us = 100_000 if span.us >= 10_000_000 else 1000
    first, last = -(-span.start_us // step_us) * step_us, span.end_us // step_us * step_us
    return f"{first / 1e6:.10g} to {last / 1e6:.10g}"


def timestamp(unix_us: int) -> str:
    """A moment for machines: ``2026-01-02T03:04:05.678Z``."""
    moment = datetime.fromtimestamp(unix_us / 1e6, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"


def day_and_time(unix_us: int) -> str:
    """A moment for people, in UTC: ``2026-01-02 03:04:05``."""
    return f"{datetime.fromtimestamp(unix_us / 1e6, UTC):%Y-%m-%d %H:%M:%S}"


def exact(unix_us: int) -> str:
    """The same to the millisecond, with its zone: ``2026-01-02 03:04:05.678 UTC``."""
    return f"{day_and_time(unix_us)}.{unix_us // 1000 % 1000:03d} UTC"


def number(value: int) -> str:
    """A count with its thousands apart."""
    return f"{value:,}"


def short(value: int) -> str:
    """A large count in short: ``950``, ``12.3 k``, ``4.5 M``."""
    if value < 1000:
        return str(value)
    return f"{value / 1000:.1f} k" if value < 1_000_000 else f"{value / 1e6:.1f} M"


def inked(tokens: tuple[Token, ...]) -> Markup:
    """JSON tokens as elements that the stylesheet colours."""
    piece = Markup('<span class="{}">{}</span>')
    return Markup("").join(
        Markup("{}").format(visible(token.text))
        if token.ink == "sign"
        else piece.format(f"ink-{token.ink}", visible(token.text))
        for token in tokens
    )


def as_json(value: Any) -> Markup:
    """A value laid out as JSON."""
    return inked(tuple(laid_out(value)))


def parted_json(values: tuple[Any, Any]) -> tuple[tuple[Run, ...], tuple[Run, ...]]:
    """Two values laid out as JSON, with what differs between them."""
    before, after = (
        "".join(token.text for token in laid_out(value, _MOST_PARTED, _LONGEST_PARTED))
        for value in values
    )
    return parted(before, after)


def sign(tone: str) -> str:
    return SIGNS[tone]


def coded(sentence: str) -> Markup:
    """A sentence with what stands between backticks in it as code."""
    code = Markup("<code>{}</code>")
    parts = visible(sentence).split("`")
    return Markup("").join(code.format(each) if at % 2 else each for at, each in enumerate(parts))


FILTERS = {
    "as_json": as_json,
    "axis": axis,
    "changed": changed,
    "coded": coded,
    "counted": counted,
    "day_and_time": day_and_time,
    "duration": duration,
    "exact": exact,
    "inked": inked,
    "markdown": rendered,
    "named": named,
    "number": number,
    "parted_json": parted_json,
    "reach": reach,
    "requests": requests_told,
    "seconds": seconds,
    "short": short,
    "sign": sign,
    "silence": silence,
    "size": size,
    "timestamp": timestamp,
    "warm_ups": warm_ups_told,
    "use": NAMES.__getitem__,
}
