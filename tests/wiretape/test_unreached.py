"""Why an upstream could not be reached, in words."""

import pytest

from wiretape.unreached import why_unreached


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ("[Errno 111] Connect call failed ('127.0.0.1', 9)", "connection refused"),
        ("[Errno 61] Connect call failed ('127.0.0.1', 9)", "connection refused"),
        (
            "Multiple exceptions: [Errno 111] Connect call failed ('::1', 9, 0, 0), "
            "[Errno 111] Connect call failed ('127.0.0.1', 9)",
            "connection refused",
        ),
        ("[Errno 113] Connect call failed ('10.0.0.9', 443)", "host unreachable"),
        ("[Errno -2] Name or service not known", "Name or service not known"),
        ("[Errno 999] Connect call failed ('x', 1)", "[Errno 999] Connect call failed ('x', 1)"),
        ("certificate verify failed", "certificate verify failed"),
    ],
)
def test_a_number_is_said_in_words(detail: str, words: str) -> None:
    """Whichever of the two systems it is from; what has words of its own keeps them."""
    assert why_unreached(detail) == words
