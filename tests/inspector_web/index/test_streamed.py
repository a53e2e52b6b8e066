"""What a delta says, read without reading the whole event."""

import tracemalloc

import pytest

from inspector_web.index.streamed import delta_of

HUGE = 5_000_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"type": "x.delta", "delta": "a word", "n": 1}', "a word"),
        ('{"delta" : ""}', ""),
        (r'{"delta": "a \"quote\" and \\"}', 'a "quote" and \\'),
        (r'{"delta": "\u00e9\n"}', "é\n"),
        (r'{"delta": "never ended \"}', ""),
        (r'{"delta": "no such escape \q"}', ""),
        ('{"delta": 5}', ""),
        ("not json", ""),
    ],
)
def test_what_a_delta_says(text: str, said: str) -> None:
    """Its string, without escapes; nothing where it has none."""
    assert delta_of(text) == said


def test_a_huge_delta_takes_little_memory() -> None:
    """Its text and a copy, not something for each character."""
    text = '{"delta":"' + "y" * HUGE + '"}'
    tracemalloc.start()
    try:
        assert len(delta_of(text)) == HUGE
        assert tracemalloc.get_traced_memory()[1] < 4 * HUGE
    finally:
        tracemalloc.stop()
