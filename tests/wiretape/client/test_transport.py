"""Document 002 §1: which transport a request takes, and the switch that falls back once."""

import pytest

from wiretape.client.config import Config, Provider
from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.transport import FallbackSwitch, Transport, choose

PLAIN = Provider("local", "http://localhost/v1")
WITH_WEBSOCKETS = Provider("local", "http://localhost/v1", supports_websockets=True)


def config(provider: Provider, **features: bool) -> Config:
    """A configuration that uses this provider."""
    return Config(provider, {"local": provider}, features)


@pytest.mark.parametrize(
    ("provider", "has_feature", "has_fallen_back", "transport"),
    [
        (WITH_WEBSOCKETS, True, False, Transport.WEBSOCKET),
        (WITH_WEBSOCKETS, True, True, Transport.SSE),
        (WITH_WEBSOCKETS, False, False, Transport.SSE),
        (WITH_WEBSOCKETS, False, True, Transport.SSE),
        (PLAIN, True, False, Transport.SSE),
        (PLAIN, True, True, Transport.SSE),
        (PLAIN, False, False, Transport.SSE),
        (PLAIN, False, True, Transport.SSE),
    ],
)
def test_1_1_websocket_needs_provider_feature_and_no_fallback(
    provider: Provider, has_feature: bool, has_fallen_back: bool, transport: Transport
) -> None:
    """WebSocket is taken only where all three conditions hold; HTTP otherwise."""
    switch = FallbackSwitch()
    if has_fallen_back:
        switch.activate()
    told = config(provider, responses_websockets=has_feature)
    is_configured = told.is_websocket_configured(DOCUMENTED)
    assert choose(is_websocket_configured=is_configured, switch=switch) is transport


def test_1_1_without_the_feature_in_the_configuration_it_is_off() -> None:
    """A configuration that does not name the feature has it off."""
    assert not config(WITH_WEBSOCKETS).is_websocket_configured(DOCUMENTED)


@pytest.mark.parametrize(
    ("version", "is_configured"),
    [((0, 99), False), ((0, 110), False), ((0, 140), True), ((0, 169), True)],
)
def test_later_clients_need_no_feature(version: tuple[int, int], is_configured: bool) -> None:
    """From 0.140 the provider's word is enough."""
    assert config(WITH_WEBSOCKETS).is_websocket_configured(dialect_of(version)) is is_configured


def test_1_2_the_switch_is_off_at_first() -> None:
    """A session begins without having fallen back."""
    assert not FallbackSwitch().is_on


def test_1_2_only_the_first_activation_counts() -> None:
    """Activating says true once; the switch stays on whatever comes after."""
    switch = FallbackSwitch()
    assert [switch.activate(), switch.activate(), switch.activate()] == [True, False, False]
    assert switch.is_on
