"""Short digests of JSON values."""

from typing import Any

from wiretape.digests import digest


def test_equal_values_share_a_digest() -> None:
    """Whatever the order of keys; anything else differs."""
    assert digest({"a": 1, "b": [None, "é"]}) == digest({"b": [None, "é"], "a": 1})
    assert len({digest(value) for value in ("1", 1, [1], {"1": 1}, None, "")}) == 6


def test_a_digest_is_short_and_stable() -> None:
    """The same in every process, so that it can be written out."""
    assert digest(["exec_command", "{}"]) == "4dd2d51bd6c14618"


def test_half_a_character_has_a_digest() -> None:
    """JSON may hold a lone surrogate."""
    assert digest("\ud800") != digest("\udc00")


def test_what_is_nested_too_deeply_has_a_digest() -> None:
    """Reading a tape does not fail on it."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert digest(deep) == digest([deep])
