"""Recordings as text, before and after they are bent."""

from collections.abc import Iterable

from replayer.bends.telling import bent_and_told
from wiretape.recording import Bend
from wiretape.scripts.reading import read_script
from wiretape.scripts.writing import write_script

_SAID_ALWAYS = ("# A script of wiretape", "wiretape_script: 1", "exchanges:", "  body: none")


def script(*lines: str) -> str:
    """A script with these exchanges."""
    return "\n".join(("wiretape_script: 1", "exchanges:", *lines))


def bent_script(text: str, bends: Iterable[Bend]) -> tuple[list[str], list[str]]:
    """The lines of a script after all ``bends``, without what every script says, and what is told
    of it."""
    recording, told = bent_and_told(read_script(text), bends)
    lines = write_script(recording).splitlines()
    return [line for line in lines if line and not line.startswith(_SAID_ALWAYS)], told
