"""What the headers of a response tell the client, before any of its events.

Source: document 002 §3.1, §4.1 and §4.2. The names of the rate-limit headers are the published
client's (openai/codex, codex-rs/codex-api/src/rate_limits.rs): ``x-codex-primary-used-percent``,
``-window-minutes``, ``-reset-at``, the same for ``secondary``, and ``x-codex-credits-…``.
"""

import math
import re

from wiretape.client.events import (
    ClientEvent,
    Credits,
    ModelsEtag,
    RateLimits,
    RateLimitWindow,
    ServerReasoningIncluded,
)
from wiretape.client.transport import Transport
from wiretape.facts import Headers, header
from wiretape.jsontext import JsonObject, object_at, string_at

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
# As many digits as the client's integers have: a header may hold thousands, which int() refuses.
_INTEGER = re.compile(r"[+-]?\d{1,19}", re.ASCII)


def head_events(headers: Headers, transport: Transport) -> tuple[ClientEvent, ...]:
    """The events that the client puts in front of the stream, in its order (§3.1, §4.2).

    A WebSocket's head is the answer to its upgrade; rate limits come in events there.
    """
    events: list[ClientEvent] = []
    limits = rate_limits(headers) if transport is Transport.SSE else None
    if limits is not None:
        events.append(limits)
    etag = header(headers, "x-models-etag")
    if etag is not None:
        events.append(ModelsEtag(etag))
    if header(headers, "x-reasoning-included") is not None:
        events.append(ServerReasoningIncluded())
    return tuple(events)


def turn_state(headers: Headers) -> str | None:
    """The token that the client sends back within the turn (§3.1, §4.1); only the first counts."""
    return header(headers, "x-codex-turn-state")


def retry_after_ms(value: str | None) -> int | None:
    """The delay in a ``retry-after``: whole seconds as milliseconds, ``None`` for anything else.

    A date would need the time of day to be a delay.
    """
    seconds = _integer((value or "").strip())
    return seconds * 1000 if seconds is not None and seconds >= 0 else None


def rate_limits(headers: Headers) -> RateLimits | None:
    """The rate limits in the headers of a response, ``None`` where it carries none."""
    limits = RateLimits(
        primary=_window(headers, "x-codex-primary"),
        secondary=_window(headers, "x-codex-secondary"),
        credits=_credits(headers),
    )
    return None if limits == RateLimits() else limits


def rate_limits_event(raw: JsonObject) -> RateLimits | None:
    """The rate limits in a ``codex.rate_limits`` event, ``None`` where it cannot be read."""
    windows, credit = object_at(raw, "rate_limits"), object_at(raw, "credits")
    try:
        return RateLimits(
            primary=_event_window(windows.get("primary")),
            secondary=_event_window(windows.get("secondary")),
            credits=_event_credits(credit) if credit else None,
        )
    except TypeError:
        return None


def _window(headers: Headers, prefix: str) -> RateLimitWindow | None:
    used_percent = _number(header(headers, f"{prefix}-used-percent"))
    if used_percent is None:
        return None
    minutes = _integer(header(headers, f"{prefix}-window-minutes"))
    resets_at_s = _integer(header(headers, f"{prefix}-reset-at"))
    # A server without limits sends zeros.
    if used_percent == 0 and not minutes and resets_at_s is None:
        return None
    return RateLimitWindow(used_percent, minutes, resets_at_s)


def _credits(headers: Headers) -> Credits | None:
    has_credits = _truth(header(headers, "x-codex-credits-has-credits"))
    unlimited = _truth(header(headers, "x-codex-credits-unlimited"))
    if has_credits is None or unlimited is None:
        return None
    balance = (header(headers, "x-codex-credits-balance") or "").strip()
    return Credits(has_credits, unlimited, balance or None)


def _number(text: str | None) -> float | None:
    if text is None or not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _integer(text: str | None) -> int | None:
    return int(text) if text is not None and _INTEGER.fullmatch(text) else None


def _truth(text: str | None) -> bool | None:
    return {"true": True, "1": True, "false": False, "0": False}.get((text or "").lower())


def _event_window(raw: object) -> RateLimitWindow | None:
    """A window of the event. ``TypeError`` where it is not what the client reads."""
    if raw is None:
        return None
    if not isinstance(raw, dict):
        raise TypeError(raw)
    used_percent = raw.get("used_percent")
    if isinstance(used_percent, bool) or not isinstance(used_percent, int | float):
        raise TypeError(raw)
    minutes, resets_at_s = raw.get("window_minutes"), raw.get("reset_at")
    if not {type(minutes), type(resets_at_s)} <= {int, type(None)}:
        raise TypeError(raw)
    return RateLimitWindow(float(used_percent), minutes, resets_at_s)


def _event_credits(raw: JsonObject) -> Credits:
    has_credits, unlimited = raw.get("has_credits"), raw.get("unlimited")
    if not isinstance(has_credits, bool) or not isinstance(unlimited, bool):
        raise TypeError(raw)
    return Credits(has_credits, unlimited, string_at(raw, "balance"))
