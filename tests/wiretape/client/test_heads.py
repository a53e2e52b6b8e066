"""Document 002 §3.1, §4.1 and §4.2: what response headers tell, and in which order."""

import pytest

from wiretape.client.events import (
    Credits,
    ModelsEtag,
    RateLimits,
    RateLimitWindow,
    ServerReasoningIncluded,
)
from wiretape.client.heads import (
    head_events,
    rate_limits,
    rate_limits_event,
    retry_after_ms,
    turn_state,
)
from wiretape.client.transport import Transport
from wiretape.facts import Headers

LIMITS: Headers = (
    ("x-codex-primary-used-percent", "12.5"),
    ("x-codex-primary-window-minutes", "300"),
    ("x-codex-primary-reset-at", "1767225600"),
    ("x-codex-secondary-used-percent", "40"),
    ("x-codex-credits-has-credits", "True"),
    ("x-codex-credits-unlimited", "0"),
    ("x-codex-credits-balance", " 3.42 "),
)
READ = RateLimits(
    primary=RateLimitWindow(12.5, 300, 1767225600),
    secondary=RateLimitWindow(40.0),
    credits=Credits(has_credits=True, unlimited=False, balance="3.42"),
)
ALL: Headers = (
    ("X-Reasoning-Included", "false"),
    ("X-Models-Etag", "etag-1"),
    *LIMITS,
    ("x-codex-turn-state", "state-1"),
)


def test_3_1_all_header_events_come_in_their_order() -> None:
    """Rate limits, then the models' etag, then that reasoning is included."""
    assert head_events(ALL, Transport.SSE) == (
        READ,
        ModelsEtag("etag-1"),
        ServerReasoningIncluded(is_included=True),
    )


@pytest.mark.parametrize(
    ("headers", "events"),
    [
        ((), ()),
        (LIMITS, (READ,)),
        ((("x-models-etag", "e"),), (ModelsEtag("e"),)),
        ((("x-reasoning-included", ""),), (ServerReasoningIncluded(),)),
    ],
)
def test_3_1_each_event_comes_only_with_its_header(
    headers: Headers, events: tuple[object, ...]
) -> None:
    """Nothing is put in front of the stream that no header says."""
    assert head_events(headers, Transport.SSE) == events


def test_4_2_an_upgrade_tells_of_etag_and_reasoning_but_not_of_limits() -> None:
    """A WebSocket stream begins with what its handshake said; limits come in events there."""
    assert head_events(ALL, Transport.WEBSOCKET) == (
        ModelsEtag("etag-1"),
        ServerReasoningIncluded(),
    )


@pytest.mark.parametrize("name", ["x-codex-turn-state", "X-Codex-Turn-State"])
def test_3_1_the_turn_state_is_read_from_its_header(name: str) -> None:
    """The turn state is the header's value, whatever the name's case."""
    assert turn_state(((name, "state-1"), (name, "state-2"))) == "state-1"


def test_3_1_without_the_header_there_is_no_turn_state() -> None:
    """A head that names no turn state leaves it unset."""
    assert turn_state(LIMITS) is None


@pytest.mark.parametrize(
    ("used", "minutes", "reset", "window"),
    [
        ("0", None, None, None),
        ("0", "0", None, None),
        ("0", "60", None, RateLimitWindow(0.0, 60)),
        ("0.0", "0", "9", RateLimitWindow(0.0, 0, 9)),
        ("7", "x", "1.5", RateLimitWindow(7.0)),
        ("nan", "60", "9", None),
        ("inf", "60", "9", None),
        ("1e400", "60", "9", None),
        ("much", "60", "9", None),
        ("7", "9" * 5000, "9" * 5000, RateLimitWindow(7.0)),
        (f"{'9' * 50_000}x", "60", "9", None),
        (None, "60", "9", None),
    ],
)
def test_a_window_is_read_as_far_as_it_says_something(
    used: str | None, minutes: str | None, reset: str | None, window: RateLimitWindow | None
) -> None:
    """All zeros are no window, nor is one without a number for how full it is."""
    values = {
        "x-codex-primary-used-percent": used,
        "x-codex-primary-window-minutes": minutes,
        "x-codex-primary-reset-at": reset,
    }
    headers = tuple((name, value) for name, value in values.items() if value is not None)
    assert rate_limits(headers) == (None if window is None else RateLimits(primary=window))


@pytest.mark.parametrize(
    ("has_credits", "unlimited", "found"),
    [
        ("true", "false", Credits(has_credits=True, unlimited=False)),
        ("0", "1", Credits(has_credits=False, unlimited=True)),
        ("yes", "false", None),
        ("true", "", None),
    ],
)
def test_credits_need_both_truth_values(
    has_credits: str, unlimited: str, found: Credits | None
) -> None:
    """``true``, ``false``, ``1`` and ``0`` are truth values, and both must be there."""
    headers = (
        ("x-codex-credits-has-credits", has_credits),
        ("x-codex-credits-unlimited", unlimited),
    )
    assert rate_limits(headers) == (None if found is None else RateLimits(credits=found))


def test_a_rate_limit_event_says_the_same_as_the_headers() -> None:
    """``codex.rate_limits`` carries windows and credits as JSON."""
    raw = {
        "rate_limits": {
            "primary": {"used_percent": 12.5, "window_minutes": 300, "reset_at": 1767225600},
            "secondary": {"used_percent": 40},
        },
        "credits": {"has_credits": True, "unlimited": False, "balance": "3.42"},
    }
    assert rate_limits_event(raw) == READ


@pytest.mark.parametrize(
    "raw",
    [
        {"rate_limits": {"primary": {}}},
        {"rate_limits": {"primary": {"used_percent": "12"}}},
        {"rate_limits": {"primary": {"used_percent": True}}},
        {"rate_limits": {"primary": {"used_percent": 1, "window_minutes": 1.5}}},
        {"rate_limits": {"secondary": 5}},
        {"credits": {"has_credits": True}},
    ],
)
def test_a_rate_limit_event_of_another_shape_says_nothing(raw: dict[str, object]) -> None:
    """An event whose parts are not what the client reads is passed over whole."""
    assert rate_limits_event(raw) is None


@pytest.mark.parametrize(
    ("value", "delay_ms"),
    [
        ("2", 2000),
        (" 1 ", 1000),
        ("0", 0),
        ("-1", None),
        ("0.5", None),
        ("", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
        ("9" * 5000, None),
        (None, None),
    ],
)
def test_retry_after_is_whole_seconds(value: str | None, delay_ms: int | None) -> None:
    """Whole seconds are a delay; fractions, dates and the rest are none."""
    assert retry_after_ms(value) == delay_ms
