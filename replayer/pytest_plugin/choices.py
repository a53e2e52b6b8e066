"""What a test asks for: which tape, whether it is recorded, and how it is played.

Pure: is handed the arguments of the marker and where the test stands, and gives a ``Choice``.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from wiretape.digests import digest
from wiretape.errors import UsageError


class Mode(StrEnum):
    """When a test is recorded, instead of replayed."""

    NONE = "none"
    """Never: a missing tape is a failure."""
    ONCE = "once"
    """Where there is no tape yet."""
    ALL = "all"
    """Always, and the tape that was there is replaced."""

    def records(self, tape: Path) -> bool:
        """Whether a test with this tape is to be recorded now."""
        return self is Mode.ALL or (self is Mode.ONCE and not tape.exists())


@dataclass(frozen=True, slots=True)
class Choice:
    """What a test asks for.

    ``test`` is what people call it. ``base_url`` is where the model is while it is recorded,
    ``None`` for the usual place. ``factor`` is that of the recorded pace, ``None`` for no waiting
    at all. ``transport``, ``tools`` and ``faults`` are as the options of ``wiretape replay`` say
    them; they are the replay's, and nothing to a recording.
    """

    test: str
    tape: Path
    mode: Mode
    base_url: str | None = None
    sessions: tuple[str, ...] = ()
    is_strict: bool = False
    factor: float | None = None
    ignore: tuple[str, ...] = ()
    transport: str = "recorded"
    tools: str = "run"
    faults: tuple[str, ...] = ()


def choose(
    test: Path,
    name: str,
    mode: str | None,
    arguments: Sequence[Any],
    options: Mapping[str, Any],
) -> Choice:
    """What the test ``name`` in the file ``test`` asks for.

    ``mode`` is that of the command line, and wins; ``arguments`` and ``options`` are the marker's.

    Raises:
        UsageError: the marker makes no sense.
    """
    try:
        asked = _Marker(*arguments, **options)
    except TypeError as error:
        fault = str(error).partition("__init__() ")[2].rstrip("?.")
        raise UsageError(
            f"@pytest.mark.wiretape of {name} cannot be read: it {fault}. "
            f"It takes a tape, and {', '.join(_OPTIONS)}."
        ) from error
    wanted = mode or asked.record or Mode.NONE
    for option, value, allowed in (
        ("record", wanted, tuple(Mode)),
        ("transport", asked.transport, ("recorded", "sse", "websocket")),
        ("tools", asked.tools, ("run", "recorded")),
    ):
        if value not in allowed:
            raise UsageError(
                f"@pytest.mark.wiretape of {name} says {option}={value!r}: "
                f"say one of {', '.join(map(repr, map(str, allowed)))}."
            )
    return Choice(
        f"{test.name}::{name}",
        default_tape(test, name) if asked.tape is None else test.parent / asked.tape,
        Mode(wanted),
        asked.base_url,
        _texts(asked.session),
        asked.strict,
        asked.speed,
        _texts(asked.ignore),
        asked.transport,
        asked.tools,
        _texts(asked.fault),
    )


@dataclass(frozen=True, slots=True)
class _Marker:
    """The arguments of ``@pytest.mark.wiretape``."""

    tape: str | Path | None = None
    record: str | None = None
    base_url: str | None = None
    session: str | Collection[str] = ()
    strict: bool = False
    speed: float | None = None
    ignore: str | Collection[str] = ()
    transport: str = "recorded"
    tools: str = "run"
    fault: str | Collection[str] = ()


_OPTIONS: Final = [f"{name}=…" for name in _Marker.__slots__ if name != "tape"]


def _texts(value: str | Collection[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)


def default_tape(test: Path, name: str) -> Path:
    """Where the tape of a test lies unless the marker says otherwise: beside the test's file, in
    ``tapes/``, in a folder of the file's name.

    What a file system may not like in the name of a parametrised test is left out; a digest then
    keeps two of them apart.
    """
    plain = re.sub(r"[^\w.-]+", "-", name).strip("-")[:_LONGEST]
    stem = plain if plain == name else f"{plain}-{digest(name)[:6]}"
    return test.parent / "tapes" / test.stem / f"{stem}.db"


_LONGEST: Final = 80
