"""Which blocks can hold a text: those in which each three letters of it follow on one another.

SQLite's trigram index keeps no order and no text, so it is small and its answer is a superset:
what it names is read from the tape and looked at. Words of one or two letters narrow nothing.
"""

from typing import Final

_GRAM: Final = 3
_MOST_GRAMS: Final = 40
_MAY_BE_MISSING: Final = "*?{"
_ENDS_RUN: Final = ".^$+)]}"
_GIVES_UP: Final = "(|"
_CLASSES: Final = "AbBdDsSwWZ"


def match_expression(literals: tuple[str, ...]) -> str | None:
    """What SQLite is asked for, so that all of the texts can be in a block; ``None``: anything."""
    grams = {
        literal[at : at + _GRAM]: None
        for literal in literals
        for at in range(len(literal) - _GRAM + 1)
    }
    quoted = ['"' + gram.replace('"', '""') + '"' for gram in grams if "\0" not in gram]
    return " AND ".join(quoted[:_MOST_GRAMS]) or None


def literals_in(pattern: str) -> tuple[str, ...]:
    """Texts that whatever matches the regular expression must hold; none where that is not plain.

    Groups and alternatives are not looked into: a text that is missing here costs time, one too
    many would lose a match.
    """
    runs: list[str] = []
    run = ""
    at = 0
    while at < len(pattern):
        letter = pattern[at]
        if letter in _GIVES_UP:
            return ()
        if letter in _MAY_BE_MISSING:
            runs.append(run[:-1])
            run = ""
            at = pattern.find("}", at) if letter == "{" and "}" in pattern[at:] else at
        elif letter == "[":
            runs.append(run)
            run = ""
            at = _class_end(pattern, at)
        elif letter == "\\":
            at += 1
            escaped = pattern[at : at + 1]
            if escaped in _CLASSES:
                runs.append(run)
                run = ""
            elif escaped.isalnum():
                # A code for another letter, however long.
                break
            else:
                run += escaped
        elif letter in _ENDS_RUN:
            runs.append(run)
            run = ""
        else:
            run += letter
        at += 1
    # What follows a break was not looked at, and may make the last letter one that can be missing.
    runs.append(run[:-1] if at < len(pattern) else run)
    return () if any(sign in pattern[at:] for sign in _GIVES_UP) else tuple(filter(None, runs))


def _class_end(pattern: str, at: int) -> int:
    """Where the ``]`` is that ends the class that begins at ``at``; a first ``]`` is a member."""
    at += 2 if pattern[at + 1 : at + 2] == "^" else 1
    at += 1 if pattern[at : at + 1] == "]" else 0
    while at < len(pattern) and pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at
