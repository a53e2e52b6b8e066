"""JSON from the wire: what is an object, what is not, and what would break a reader."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wiretape.jsontext import (
    Unparsable,
    count_at,
    mended,
    object_at,
    parse_object,
    string_at,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        (' {"a": [1, -2.5e3, "\\u00e9", null, true]} \n', {"a": [1, -2500.0, "é", None, True]}),
        ('{"a": 1, "b": 2, "a": 3}', {"a": 3, "b": 2}),
        ('{"a": "\\ud83d"}', {"a": "\ud83d"}),
        ('{"a": "\\ud83d\\ude42"}', {"a": "🙂"}),
        ('{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ('{"a": ' + "9" * 305 + "}", {"a": int("9" * 305)}),
        ('{"a": 1e-999}', {"a": 0.0}),
    ],
)
def test_an_object_is_read(text: str, value: dict[str, Any]) -> None:
    """JSON objects, with repeated keys (the last counts), lone surrogates and long numbers."""
    assert parse_object(text) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value at character 0"),
        ("[DONE]", "Expecting value at character 1"),
        ('{"a": 1', "Expecting ',' delimiter at character 7"),
        ('{"a": 1} {', "Extra data at character 9"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ('{"a": 1e999}', "a number beyond the range of a float"),
        ('{"a": -' + "9" * 5000 + "}", "a number beyond the range of a float"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_object_says_why(text: str, reason: str) -> None:
    """Other JSON, what Python reads but JSON does not allow, and what would break the parser."""
    assert parse_object(text) == Unparsable(text, reason)


@given(st.text(st.sampled_from('{}[]":,\\u0123dD.eE+-NaInfity ')))
def test_no_text_raises(text: str) -> None:
    """Whatever the text, the answer is an object or ``Unparsable``."""
    assert isinstance(parse_object(text), dict | Unparsable)


def test_values_are_read_by_kind() -> None:
    """A value of another kind counts as missing."""
    value = {"text": "a", "count": 3, "big": 1 << 63, "below": -1, "flag": True, "inner": {"b": 1}}
    assert [string_at(value, key) for key in value] == ["a", None, None, None, None, None]
    assert [count_at(value, key) for key in value] == [None, 3, None, None, None, None]
    assert [object_at(value, key) for key in value] == [{}, {}, {}, {}, {}, {"b": 1}]
    assert (string_at(value, "x"), count_at(value, "x"), object_at(value, "x")) == (None, None, {})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain 世界 🙂", "plain 世界 🙂"),
        ("a\ud83d\ude42b", "a🙂b"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude42\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ud83d\ude42", "\ufffd🙂"),
    ],
)
def test_surrogates_are_mended(text: str, expected: str) -> None:
    """Halves that stand together make their character; a lone one becomes U+FFFD."""
    assert mended(text) == expected


@given(st.text(st.characters()))
def test_mended_text_can_be_encoded(text: str) -> None:
    """Whatever the text, its mended form is UTF-8, and stays as it is when mended again."""
    mended(text).encode()
    assert mended(mended(text)) == mended(text)
