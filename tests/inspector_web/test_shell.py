"""Command lines that can be pasted."""

import subprocess

import pytest

from inspector_web.shell import command_line


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["ls", "-l"], "ls -l"),
        (["say", "it's $(mine)"], "say 'it'\"'\"'s $(mine)'"),
        (["say", ""], "say ''"),
        (["a\nb"], "'a\nb'"),
        (["\x1b[2J"], "$'\\U0000001b[2J'"),
        (["it's\n\u202egpj"], "$'it\\'s\\n\\U0000202egpj'"),
        (["back\\slash\u200b"], "$'back\\\\slash\\U0000200b'"),
    ],
)
def test_words_as_a_line(words: list[str], line: str) -> None:
    """Plain where it can be; what cannot be seen is written out."""
    assert command_line(words) == line


def test_a_shell_reads_the_words_that_were_meant() -> None:
    """Whatever stands in them."""
    words = ["it's", "a\nb", "\x1b[2J\\", "\u202egpj.exe\t'", "$HOME `id`", "\udcff"]
    line = command_line(["printf", "%s\\0", *words])
    told = subprocess.run(
        ["bash", "-c", line], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert told.stdout.split(b"\0")[:-1] == [
        word.encode("utf-8", "surrogateescape") for word in words
    ]
