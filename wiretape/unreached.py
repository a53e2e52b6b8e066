"""Why an upstream could not be reached, in words: a tape holds what the recorder was told, which is
a number of the system that it ran on.
"""

import re
from collections.abc import Mapping
from typing import Final

_NUMBERED: Final = re.compile(r"\[Errno (-?\d+)\] *")
_CONNECTING: Final = "Connect call failed"

_WORDS: Final[Mapping[int, str]] = {
    number: words
    for words, numbers in {
        "connection refused": (111, 61),
        "connection timed out": (110, 60),
        "host unreachable": (113, 65),
        "network unreachable": (101, 51),
    }.items()
    for number in numbers
}
"""What a number means where connecting failed, on Linux and on macOS: none stands for something
else on the other one that connecting fails with."""


def why_unreached(detail: str) -> str:
    """The ``detail`` of an end for a person. A resolver's own words stand behind its number; of
    several addresses the first one tells."""
    numbered = _NUMBERED.search(detail)
    if numbered is not None and _CONNECTING in detail:
        return _WORDS.get(int(numbered[1]), detail)
    return _NUMBERED.sub("", detail)
