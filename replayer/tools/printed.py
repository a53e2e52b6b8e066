"""What a shell tool's recorded output says that the command printed.

The client wraps it in words of its own, which it will write again: times and chunk ids, which do
not count (a stable script has … in their place), and the exit code. The forms are those of the
published clients 0.99.0 and 0.169.0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from replayer.tools.shortened import Part, is_shortened, unshortened
from wiretape.jsontext import Unparsable, object_at, parse_object, string_at


@dataclass(frozen=True, slots=True)
class Printed:
    """What to print, and the code to exit with. ``doubt`` says why the client may make another
    output of it than the recorded one, ``None`` where it does not. ``unshortened`` is what to print
    instead of a ``text`` that the client shortened, so that it does so again."""

    text: str
    exit_code: int = 0
    doubt: str | None = None
    unshortened: tuple[Part, ...] = ()


_FORMS: Final = (
    # exec_command and write_stdin.
    re.compile(
        r"(?:Chunk ID: \S+\n)?Wall time: (?:[\d.]+|…) seconds\n"
        r"(?:Process exited with code (?P<code>-?\d+)\n|Process running with session ID \d+\n)"
        r"(?:Original token count: (?P<tokens>\d+)\n)?Output:\n(?P<text>.*)",
        re.DOTALL,
    ),
    # shell_command and shell.
    re.compile(
        r"Exit code: (?P<code>-?\d+)\nWall time: (?:[\d.]+|…) seconds\n"
        r"(?:Total output lines: \d+\n)?Output:\n(?P<text>.*)",
        re.DOTALL,
    ),
)
_SCRIPT: Final = re.compile(r"Script completed\nWall time (?:[\d.]+|…) seconds\nOutput:\n")
_SHORTENED_WORDS: Final = "the client had shortened its output"
_STABLE_DURATION: Final = '"duration_seconds":…'
"""What a stable script has in the place of a duration, which is no JSON."""


NO_OUTPUT: Final = Printed("", doubt="no output of it was recorded")


def printed(output: Any) -> Printed:
    """What a command printed, by the ``output`` of its item."""
    text = "".join(texts(output))
    if text.startswith("{"):
        said = parse_object(text.replace(_STABLE_DURATION, '"duration_seconds":0'))
        found = None if isinstance(said, Unparsable) else string_at(said, "output")
        if found is not None and not isinstance(said, Unparsable):
            return _checked(found, object_at(said, "metadata").get("exit_code"), text)
    for form in _FORMS:
        if match := form.fullmatch(text):
            code, tokens = match["code"], match.groupdict().get("tokens")
            if code is None:
                return Printed(match["text"], doubt="it was still running when it was asked for")
            return _checked(match["text"], int(code), text, tokens)
    return Printed(text, doubt="its output is of no known form")


def script_texts(output: Any) -> tuple[list[str], str | None]:
    """What a JavaScript tool's script showed, text by text, and what is doubtful about it."""
    found = list(texts(output))
    if found and (match := _SCRIPT.match(found[0])):
        rest = found[0][match.end() :]
        doubt = _SHORTENED_WORDS if any(map(is_shortened, found)) else None
        return [*([rest] if rest else []), *found[1:]], doubt
    return found, "its output is of no known form"


def texts(output: Any) -> Iterator[str]:
    """The texts of an output, which is a text or a list of parts."""
    match output:
        case str():
            yield output
        case list():
            yield from (
                part["text"]
                for part in output
                if isinstance(part, dict) and isinstance(part.get("text"), str)
            )


def _checked(text: str, code: object, whole: str, tokens: str | None = None) -> Printed:
    if not isinstance(code, int) or not 0 <= code <= 255:
        return Printed(text, 1, f"no command can exit with {code}")
    if not is_shortened(whole):
        return Printed(text, code)
    parts = None if tokens is None else unshortened(text, int(tokens))
    return (
        Printed(text, code, _SHORTENED_WORDS) if parts is None else Printed(text, code, None, parts)
    )
