"""What outputs of shell tools say that a command printed."""

from typing import Any

import pytest

from replayer.tools.printed import Printed, printed, script_texts

RUNNING = "it was still running when it was asked for"
SHORTENED = "the client had shortened its output"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (
            "Chunk ID: 6afa30\nWall time: 0.0511 seconds\nProcess exited with code 3\n"
            "Original token count: 1\nOutput:\none\n",
            Printed("one\n", 3),
        ),
        (
            "Wall time: 1.0 seconds\nProcess exited with code 0\nOutput:\n",
            Printed(""),
        ),
        (
            "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\nyet",
            Printed("yet", doubt=RUNNING),
        ),
        ("Exit code: 2\nWall time: 0 seconds\nOutput:\nno\n", Printed("no\n", 2)),
        (
            "Exit code: 0\nWall time: 0 seconds\nTotal output lines: 900\nOutput:\na…12 tokens "
            "truncated…b",
            Printed("a…12 tokens truncated…b", doubt=SHORTENED),
        ),
        (
            '{"output":"one\\n","metadata":{"exit_code":1,"duration_seconds":0.1}}',
            Printed("one\n", 1),
        ),
        (
            [{"type": "input_text", "text": "Exit code: 0\nWall time: 0 seconds\nOutput:\nhi"}],
            Printed("hi"),
        ),
        (
            "Exit code: -1\nWall time: 0 seconds\nOutput:\n",
            Printed("", 1, "no command can exit with -1"),
        ),
        (
            "Chunk ID: …\nWall time: … seconds\nProcess exited with code 0\nOutput:\none",
            Printed("one"),
        ),
        ('{"output":"one","metadata":{"exit_code":0,"duration_seconds":…}}', Printed("one")),
        (
            "Exit code: 0\nWall time: 0 seconds\nOutput:\na…12 chars truncated…b",
            Printed("a…12 chars truncated…b", doubt=SHORTENED),
        ),
        ("rejected by user", Printed("rejected by user", doubt="its output is of no known form")),
        ('{"plan": 1}', Printed('{"plan": 1}', doubt="its output is of no known form")),
    ],
)
def test_the_command_said(output: Any, expected: Printed) -> None:
    """Text and exit code, and what is doubtful about them."""
    assert printed(output) == expected


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (2, Printed("\ufffda\ufffd", 0)),
        (1, Printed("\ufffda\ufffd", 0, None, (b"\xff", "a", b"\xff"))),
        (3, Printed("\ufffda\ufffd", 0, "it held bytes that are no characters")),
    ],
)
def test_signs_may_stand_for_bytes(tokens: int, expected: Printed) -> None:
    """By the tokens that the client counted, 4 bytes each: of what was printed, not of the signs.
    Where neither can be, it is said."""
    said = f"Wall time: 0 seconds\nProcess exited with code 0\nOriginal token count: {tokens}\n"
    assert printed(f"{said}Output:\n\ufffda\ufffd") == expected


def test_a_script_showed_its_texts() -> None:
    """What the client says around them is its own."""
    parts = [
        {"type": "input_text", "text": "Script completed\nWall time 0.1 seconds\nOutput:\n"},
        {"type": "input_text", "text": "one\n"},
    ]
    assert script_texts(parts) == (["one\n"], None)
    assert script_texts("Script failed\n") == (
        ["Script failed\n"],
        "its output is of no known form",
    )
