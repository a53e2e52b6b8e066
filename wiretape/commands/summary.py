"""One line that says what is on a tape."""

from pathlib import Path


def summary_line(tape: Path) -> str:
    return f"the tape is {tape}"
