"""What outputs of shell tools say that a command printed."""

from typing import Any

import pytest

from replayer.tools.printed import Printed, Shown, printed, shown
from replayer.tools.shortened import Run

RUNNING = "it was still running when it was asked for"
UNKNOWN = "its output is of no known form"
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


def part(text: str) -> dict[str, str]:
    return {"type": "input_text", "text": text}


COMPLETED = part("Script completed\nWall time 0.1 seconds\nOutput:\n")
FAILED = part("Script failed\nWall time 0.1 seconds\nOutput:\n")
YIELDED = part("Script running with cell ID 8\nWall time 0.2 seconds\nOutput:\n")
LONG = "Warning: truncated output (original token count: 10)\nTotal output lines: 1\n\na…7 tokens "


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ([COMPLETED, part("one\n"), part("two")], Shown((("one\n",), ("two",)))),
        (COMPLETED["text"], Shown()),
        (f"{COMPLETED['text']}one", Shown((("one",),))),
        (
            [FAILED, part("one"), part("Script error:\nE: x\n at y")],
            Shown((("one",),), "E: x\n at y"),
        ),
        ([FAILED, part("Script error:\n")], Shown((), "")),
        ([YIELDED, part("now")], Shown((("now",),), None, RUNNING)),
        ("Script failed\n", Shown((("Script failed\n",),), None, UNKNOWN)),
        (
            [COMPLETED, part(f"{LONG}truncated…b")],
            Shown(
                (("a", Run("😀", 1), Run("x", 29), Run("x", 1), Run("😀", 1), "b"),),
                None,
                SHORTENED,
            ),
        ),
        (
            [FAILED, part(f"{LONG}truncated…b\nScript error:\nE".replace("lines: 1", "lines: 3"))],
            Shown(
                (("a", Run("😀", 1), Run("x", 13), Run("x", 1), Run("😀", 1), "b"),),
                "E",
                SHORTENED,
            ),
        ),
        ([FAILED, part("Script error:\na\nScript error:\nb")], Shown((), "a\nScript error:\nb")),
    ],
)
def test_a_script_showed_its_texts(output: Any, expected: Shown) -> None:
    """And threw its error; what the client says around them is its own."""
    assert shown(output) == expected
