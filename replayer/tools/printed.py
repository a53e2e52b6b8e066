"""What a shell tool's recorded output says that the command printed.

The client wraps it in words of its own, which it will write again: times and chunk ids, which do
not count (a stable script has … in their place), and the exit code. The forms are those of the
published clients 0.99.0 and 0.169.0.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from replayer.tools.shortened import Part, is_shortened, tokens_of, told_tokens, unshortened
from wiretape.jsontext import Unparsable, object_at, parse_object, string_at


@dataclass(frozen=True, slots=True)
class Printed:
    """What to print, and the code to exit with. ``doubt`` says why the client may make another
    output of it than the recorded one, ``None`` where it does not. ``instead`` is what to print so
    that the client makes ``text`` of it again, where it had shortened it, or written it with signs
    for bytes that are no characters."""

    text: str
    exit_code: int = 0
    doubt: str | None = None
    instead: tuple[Part, ...] = ()


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
_SCRIPT: Final = re.compile(
    r"Script (?P<how>completed|failed|running)(?: with cell ID \S+)?\n"
    r"Wall time (?:[\d.]+|…) seconds\nOutput:\n"
)
_SCRIPT_ERROR: Final = "Script error:\n"
_RUNNING_WORDS: Final = "it was still running when it was asked for"
_UNKNOWN_WORDS: Final = "its output is of no known form"
_SHORTENED_WORDS: Final = "the client had shortened its output"
_SIGN: Final = "\N{REPLACEMENT CHARACTER}"
_NO_CHARACTER: Final = b"\xff"
"""A byte that no character has: alone, it is written as one sign."""
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
                return Printed(match["text"], doubt=_RUNNING_WORDS)
            return _checked(match["text"], int(code), text, tokens)
    return Printed(text, doubt=_UNKNOWN_WORDS)


@dataclass(frozen=True, slots=True)
class Shown:
    """What a JavaScript tool's script showed, text by text, each in its parts; ``error`` is what it
    threw, ``None`` where it came to its end. ``doubt`` is as that of :class:`Printed`."""

    texts: tuple[tuple[Part, ...], ...] = ()
    error: str | None = None
    doubt: str | None = None


def shown(output: Any) -> Shown:
    """What a script showed, by the ``output`` of its item."""
    found = list(texts(output))
    match = _SCRIPT.match(found[0]) if found else None
    if match is None:
        return Shown(tuple((text,) for text in found), doubt=_UNKNOWN_WORDS)
    rest = found[0][match.end() :]
    found[:1] = [rest] if rest else []
    doubt = _RUNNING_WORDS if match["how"] == "running" else None
    if any(map(is_shortened, found)):
        # A second time, after other words of it: where that was cut is not to be seen.
        doubt = _SHORTENED_WORDS
    parts = list(map(_unshortened, found))
    error = None
    if match["how"] == "failed" and parts:
        *before, last = parts.pop()
        said, error = _thrown(str(last))
        if before or said:
            parts.append((*before, said))
    return Shown(tuple(parts), error, doubt)


def _thrown(text: str) -> tuple[str, str | None]:
    """What a failed script showed last, and what it threw: apart, or behind it in one text, which
    is how the client shortens all that there is."""
    if text.startswith(_SCRIPT_ERROR):
        return "", text.removeprefix(_SCRIPT_ERROR)
    said, sign, error = text.rpartition(f"\n{_SCRIPT_ERROR}")
    return (said, error) if sign else (text, None)


def _unshortened(text: str) -> tuple[Part, ...]:
    """What a script showed, as long as it was."""
    tokens = told_tokens(text)
    return (text,) if tokens is None else unshortened(text, tokens) or (text,)


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
    count = None if tokens is None else int(tokens)
    if not is_shortened(whole):
        return _with_bytes(text, code, count)
    parts = None if count is None else unshortened(text, count)
    return (
        Printed(text, code, _SHORTENED_WORDS) if parts is None else Printed(text, code, None, parts)
    )


def _with_bytes(text: str, code: int, tokens: int | None) -> Printed:
    """A text in which a sign may stand for a byte that is no character, if it then has so many
    tokens: the client counts what was printed, not what it writes."""
    if tokens is None or _SIGN not in text or tokens_of(len(text.encode())) == tokens:
        return Printed(text, code)
    parts: list[Part] = [
        _NO_CHARACTER * len(part) if part.startswith(_SIGN) else part
        for part in re.split(f"({_SIGN}+)", text)
        if part
    ]
    size = len(text.encode()) - text.count(_SIGN) * (len(_SIGN.encode()) - len(_NO_CHARACTER))
    if tokens_of(size) == tokens:
        return Printed(text, code, None, tuple(parts))
    return Printed(text, code, "it held bytes that are no characters")
