"""``env`` in front of a command: what it would do to the environment, done here instead.

So that whoever asks which settings a client will find, or gives it others, need not pass it by.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_ASSIGNED: Final = re.compile(r"([^=-][^=]*)=(.*)", re.DOTALL)


def past_env(
    command: Sequence[str], environment: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The command that ``env`` would run, and the environment it would give it: env(1).

    Where there is no ``env``, or one with an option that is not understood here (only ``-i``,
    ``-u NAME`` and ``--`` are), both stay as they are.
    """
    words, changed = list(command), dict(environment)
    if not words or Path(words[0]).name != "env":
        return tuple(words), changed
    del words[0]
    while words and words[0].startswith("-"):
        match words:
            case ["-" | "-i" | "--ignore-environment", *rest]:
                changed.clear()
            case ["-u" | "--unset", name, *rest]:
                changed.pop(name, None)
            case [word, *rest] if word.startswith("--unset="):
                changed.pop(word.removeprefix("--unset="), None)
            case ["--", *rest]:
                words = rest
                break
            case _:
                return tuple(command), dict(environment)
        words = rest
    while words and (assigned := _ASSIGNED.fullmatch(words[0])):
        changed[assigned[1]] = assigned[2]
        del words[0]
    if not words:
        return tuple(command), dict(environment)
    return past_env(words, changed)
