"""Outputs that the client shortened: what is printed instead is shortened to the same again."""

import json
import subprocess
from collections.abc import Callable

import pytest

from replayer.tools.calls import rewritten
from replayer.tools.printed import printed

TEXTS = {
    "lines": "".join(f"{number}\n" for number in range(900)),
    "one line": "x" * 3001,
    "no end": "one\ntwo\n" * 400 + "three",
    "two bytes each": "é" * 2000,
    "wide characters": "ab😀" * 700,
    "a line each": "…\n" * 1500,
    "one wide character cut": "a" * 497 + "😀" + "b" * 2000,
}
CALL = {"type": "function_call", "name": "exec_command", "call_id": "c", "arguments": "{}"}


def kept(text: str, size: int) -> tuple[str, str, int]:
    """The whole characters within so many bytes of either end, and how many bytes there are."""
    data = text.encode()
    return data[:size].decode(errors="ignore"), data[-size:].decode(errors="ignore"), len(data)


def in_tokens(text: str) -> str:
    """As 0.99.0 says it: four bytes are a token."""
    beginning, end, size = kept(text, 500)
    left_out = -(-(size - 1000) // 4)
    lines = f"Total output lines: {len(text.splitlines())}\n\n"
    return told(size, f"{lines}{beginning}…{left_out} tokens truncated…{end}")


def in_characters(text: str) -> str:
    """As 0.169.0 says it."""
    beginning, end, size = kept(text, 500)
    left_out = len(text) - len(beginning) - len(end)
    warning = f"Warning: truncated output (original token count: {-(-size // 4)})\n"
    lines = f"Total output lines: {len(text.splitlines())}\n\n"
    return told(size, f"{warning}{lines}{beginning}…{left_out} chars truncated…{end}")


def told(size: int, text: str) -> str:
    """What the client says around a command's output."""
    return (
        "Chunk ID: a\nWall time: 0.1 seconds\nProcess exited with code 0\n"
        f"Original token count: {-(-size // 4)}\nOutput:\n{text}"
    )


@pytest.mark.parametrize("shortened", [in_tokens, in_characters])
@pytest.mark.parametrize("name", TEXTS)
def test_it_is_shortened_to_the_same_again(name: str, shortened: Callable[[str], str]) -> None:
    """Whatever stood in the middle: a shell prints as many bytes, characters and lines."""
    output = shortened(TEXTS[name])
    new = rewritten(CALL, output)
    assert new is not None
    assert new.doubt is None
    command = json.loads(new.members["arguments"])["cmd"]
    ran = subprocess.run(["sh", "-c", command], stdout=subprocess.PIPE, check=True)
    assert shortened(ran.stdout.decode()) == output


@pytest.mark.parametrize(
    "text",
    [
        "Total output lines: 1\n\na…5 tokens truncated…b…5 tokens truncated…c",
        "Total output lines: 9\n\na…5 chars truncated…b",
        "a…900 tokens truncated…b",
    ],
)
def test_what_does_not_add_up_is_in_doubt(text: str) -> None:
    """Cut twice, with more lines than characters, or without its lines being told."""
    assert printed(told(100, text)).doubt == "the client had shortened its output"
