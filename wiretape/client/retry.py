"""What follows a failure: another try and after how long, the fallback, or the end.

Source: document 002 §5. The backoff is the published client's (openai/codex, codex-rs/core/
src/util.rs): 200 ms, doubled with each try, times a jitter between 0.9 and 1.1. The same is
waited between the tries of one POST (codex-rs/codex-client/src/retry.rs). A newer client that
reaches nobody waits 5 s, doubled up to 60 s (codex-rs/core/src/responses_retry.rs).
"""

from dataclasses import dataclass

from wiretape.client.dialect import Dialect, FirstRetry
from wiretape.client.failures import Failure, FailureKind
from wiretape.client.transport import FallbackSwitch

FIRST_DELAY_MS = 200
FIRST_NETWORK_DELAY_MS = 5_000
LONGEST_NETWORK_DELAY_MS = 60_000
RECONNECTING = "Reconnecting..."
FALLING_BACK = "Falling back from WebSockets to HTTPS transport."


def backoff_ms(attempt: int, jitter: float = 1.0) -> int:
    """How long to wait before the ``attempt``-th retry, from 1 (§5.1); ``jitter`` is 0.9 to 1.1."""
    return int(FIRST_DELAY_MS * 2 ** max(attempt - 1, 0) * jitter)


@dataclass(frozen=True, slots=True)
class Budget:
    """How many retries a request has had, of ``limit``; and those that only wait for a network."""

    limit: int
    used: int = 0
    network_waits: int = 0


@dataclass(frozen=True, slots=True)
class TryAgain:
    """After ``delay_ms``. ``said`` is told to the user, ``None`` where nothing is."""

    delay_ms: int
    budget: Budget
    said: str | None


@dataclass(frozen=True, slots=True)
class FallBack:
    """Over HTTP from now on, after ``delay_ms``, with the whole budget again."""

    delay_ms: int
    budget: Budget
    said: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """The turn ends with this failure."""


type Decision = TryAgain | FallBack | GiveUp


def decide(
    failure: Failure,
    budget: Budget,
    *,
    is_websocket_configured: bool,
    switch: FallbackSwitch,
    dialect: Dialect,
    jitter: float = 1.0,
) -> Decision:
    """What follows ``failure`` (§5.1). Throws the ``switch`` if it is the fallback (§5.2)."""
    if not failure.may_be_retried:
        return GiveUp()
    if failure.kind is FailureKind.CONNECTION:
        waits = budget.network_waits
        delay_ms = min(FIRST_NETWORK_DELAY_MS * 2**waits, LONGEST_NETWORK_DELAY_MS)
        waited = Budget(budget.limit, budget.used, waits + 1)
        return TryAgain(delay_ms, waited, f"{RECONNECTING} waiting for network")
    if budget.used >= budget.limit:
        if is_websocket_configured and switch.activate():
            waits_ms = failure.requested_delay_ms or 0 if dialect.waits_before_fallback else 0
            return FallBack(waits_ms, Budget(budget.limit), f"{FALLING_BACK} {failure.text}")
        return GiveUp()
    used = budget.used + 1
    requested_ms = failure.requested_delay_ms
    return TryAgain(
        delay_ms=backoff_ms(used, jitter) if requested_ms is None else requested_ms,
        budget=Budget(budget.limit, used, budget.network_waits),
        said=None
        if used == 1 and _is_first_silent(dialect, is_websocket_configured, switch)
        else f"{RECONNECTING} {used}/{budget.limit}",
    )


def _is_first_silent(
    dialect: Dialect, is_websocket_configured: bool, switch: FallbackSwitch
) -> bool:
    match dialect.first_retry:
        case FirstRetry.SAID:
            return False
        case FirstRetry.SILENT_IF_CONFIGURED:
            return is_websocket_configured
        case FirstRetry.SILENT_ON_WEBSOCKET:
            return is_websocket_configured and not switch.is_on
