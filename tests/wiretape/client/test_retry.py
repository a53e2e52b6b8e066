"""Document 002 §5: budgets, delays, the fallback and what is said about them."""

import pytest

from wiretape.client.dialects import dialect_of
from wiretape.client.failures import Failure, FailureKind, failure, stream_failure
from wiretape.client.retry import Budget, Decision, FallBack, GiveUp, TryAgain, backoff_ms, decide
from wiretape.client.transport import FallbackSwitch

BOOM = stream_failure("boom")
DELAYED = Failure(FailureKind.RATE_LIMIT, "slow down", 1500)
FATAL = failure(FailureKind.QUOTA)


def judge(
    why: Failure,
    budget: Budget,
    *,
    version: tuple[int, int] = (0, 99),
    is_websocket_configured: bool = False,
    switch: FallbackSwitch | None = None,
    jitter: float = 1.0,
) -> Decision:
    """What follows a failure."""
    return decide(
        why,
        budget,
        is_websocket_configured=is_websocket_configured,
        switch=switch or FallbackSwitch(),
        dialect=dialect_of(version),
        jitter=jitter,
    )


def fallen_back() -> FallbackSwitch:
    """A switch that is on."""
    switch = FallbackSwitch()
    switch.activate()
    return switch


@pytest.mark.parametrize(("used", "text"), [(0, "1/3"), (1, "2/3"), (2, "3/3")])
def test_5_1_each_retry_within_the_budget_is_counted_and_said(used: int, text: str) -> None:
    """While retries are left, one is used and "Reconnecting... n/m" is said."""
    decision = judge(BOOM, Budget(3, used))
    assert decision == TryAgain(
        backoff_ms(used + 1), Budget(3, used + 1), f"Reconnecting... {text}"
    )


@pytest.mark.parametrize("budget", [Budget(0), Budget(3, 3)])
def test_5_1_a_used_up_budget_ends_the_turn(budget: Budget) -> None:
    """Without retries left, and without WebSocket, the failure is the end."""
    assert judge(BOOM, budget) == GiveUp()


@pytest.mark.parametrize("budget", [Budget(5), Budget(5, 5)])
def test_5_1_a_fatal_failure_ends_the_turn_whatever_the_budget(budget: Budget) -> None:
    """What cannot be retried is neither retried nor a reason to fall back."""
    switch = FallbackSwitch()
    decision = judge(FATAL, budget, is_websocket_configured=True, switch=switch)
    assert decision == GiveUp()
    assert not switch.is_on


@pytest.mark.parametrize(
    ("attempt", "delay_ms"), [(0, 200), (1, 200), (2, 400), (3, 800), (4, 1600), (5, 3200)]
)
def test_5_1_the_backoff_doubles_from_200_ms(attempt: int, delay_ms: int) -> None:
    """200 ms before the first retry, twice as long before each further one."""
    assert backoff_ms(attempt) == delay_ms


@pytest.mark.parametrize(("jitter", "delay_ms"), [(0.9, 720), (1.0, 800), (1.1, 880)])
def test_5_1_jitter_stretches_the_backoff(jitter: float, delay_ms: int) -> None:
    """The jitter is a factor of the delay."""
    decision = judge(BOOM, Budget(3, 2), jitter=jitter)
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms == delay_ms


@pytest.mark.parametrize("used", [0, 4])
def test_5_1_a_requested_delay_wins_over_the_backoff(used: int) -> None:
    """The delay that the server asked for is waited, without jitter."""
    decision = judge(DELAYED, Budget(5, used), jitter=1.1)
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms == 1500


def test_5_1_a_requested_delay_of_zero_is_a_delay() -> None:
    """A server that says "at once" is taken at its word."""
    decision = judge(Failure(FailureKind.STREAM, "x", 0), Budget(5, 3))
    assert isinstance(decision, TryAgain)
    assert decision.delay_ms == 0


def test_5_2_a_used_up_budget_on_websocket_falls_back() -> None:
    """The fallback is said with the failure, waits for nothing, and has the whole budget."""
    switch = FallbackSwitch()
    decision = judge(BOOM, Budget(3, 3), is_websocket_configured=True, switch=switch)
    assert decision == FallBack(
        0,
        Budget(3, 0),
        "Falling back from WebSockets to HTTPS transport. "
        "stream disconnected before completion: boom",
    )
    assert switch.is_on


def test_5_2_the_fallback_happens_once() -> None:
    """A session that has fallen back does not do so again."""
    switch = fallen_back()
    decision = judge(BOOM, Budget(3, 3), is_websocket_configured=True, switch=switch)
    assert decision == GiveUp()


def test_5_2_without_websocket_there_is_no_fallback() -> None:
    """A session that was on HTTP from the beginning has nothing to fall back from."""
    switch = FallbackSwitch()
    assert judge(BOOM, Budget(3, 3), switch=switch) == GiveUp()
    assert not switch.is_on


def test_5_2_a_budget_that_lasts_does_not_fall_back() -> None:
    """The fallback waits until the retries are used up."""
    switch = FallbackSwitch()
    judge(BOOM, Budget(3, 2), is_websocket_configured=True, switch=switch)
    assert not switch.is_on


def test_5_2_a_budget_of_none_falls_back_at_the_first_failure() -> None:
    """With ``stream_max_retries = 0`` the first failure on WebSocket is the fallback."""
    assert isinstance(judge(BOOM, Budget(0), is_websocket_configured=True), FallBack)


@pytest.mark.parametrize(
    ("version", "is_websocket_configured", "has_fallen_back", "is_said"),
    [
        ((0, 99), True, False, True),
        ((0, 99), False, False, True),
        ((0, 100), True, False, False),
        ((0, 100), True, True, False),
        ((0, 100), False, False, True),
        ((0, 110), True, False, False),
        ((0, 110), True, True, True),
        ((0, 110), False, False, True),
        ((0, 169), True, False, False),
        ((0, 169), True, True, True),
        ((0, 169), False, False, True),
    ],
)
def test_later_clients_keep_quiet_about_the_first_retry_on_websocket(
    version: tuple[int, int], is_websocket_configured: bool, has_fallen_back: bool, is_said: bool
) -> None:
    """From 0.100 the first retry is silent where WebSocket is configured, from 0.110 on it."""
    decision = judge(
        BOOM,
        Budget(2),
        version=version,
        is_websocket_configured=is_websocket_configured,
        switch=fallen_back() if has_fallen_back else FallbackSwitch(),
    )
    assert isinstance(decision, TryAgain)
    assert decision.said == ("Reconnecting... 1/2" if is_said else None)


@pytest.mark.parametrize("version", [(0, 100), (0, 169)])
def test_later_clients_speak_of_the_second_retry(version: tuple[int, int]) -> None:
    """Only the first retry is silent."""
    decision = judge(BOOM, Budget(2, 1), version=version, is_websocket_configured=True)
    assert isinstance(decision, TryAgain)
    assert decision.said == "Reconnecting... 2/2"


@pytest.mark.parametrize(("version", "delay_ms"), [((0, 99), 0), ((0, 160), 0), ((0, 169), 1500)])
def test_in_0_169_the_fallback_waits_as_asked(version: tuple[int, int], delay_ms: int) -> None:
    """0.169 waits before the fallback's POST where the server asked for a delay."""
    decision = judge(DELAYED, Budget(1, 1), version=version, is_websocket_configured=True)
    assert isinstance(decision, FallBack)
    assert decision.delay_ms == delay_ms


def test_a_client_that_waits_for_a_network_uses_no_budget() -> None:
    """5 s, doubled up to 60 s, without end, whatever the budget and without falling back."""
    nobody = failure(FailureKind.CONNECTION, "error sending request")
    budget, switch, delays = Budget(1, 1), FallbackSwitch(), []
    for _ in range(6):
        decision = judge(nobody, budget, version=(0, 160), switch=switch)
        assert isinstance(decision, TryAgain)
        assert decision.said == "Reconnecting... waiting for network"
        budget = decision.budget
        delays.append(decision.delay_ms)
    assert delays == [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]
    assert (budget.used, switch.is_on) == (1, False)


@pytest.mark.parametrize("kind", [FailureKind.RETRY_LIMIT, FailureKind.OVERLOADED])
def test_some_failures_are_retried_only_on_advice(kind: FailureKind) -> None:
    """A 429 and an overloaded model are final, unless the server says when to come back."""
    assert judge(failure(kind), Budget(3)) == GiveUp()
    advised = judge(failure(kind, delay_ms=100), Budget(3))
    assert isinstance(advised, TryAgain)
    assert advised.delay_ms == 100
