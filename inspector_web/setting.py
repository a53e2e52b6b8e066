"""Where the recorded client worked, and as what: as far as it told its model so, and as it counts
for a replay on this machine."""

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from inspector_web.asking import asked_of
from inspector_web.overview import Overview
from inspector_web.shell import recorded_command
from wiretape.asked import RequestKind
from wiretape.facts import header
from wiretape.folders import Folder, folders_in
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader

_MOST_SESSIONS: Final = 20
"""That are asked for their folders."""
_ASKING: Final = frozenset(RequestKind) - {RequestKind.UPGRADE}
_MOVES: Final = ("-C", "--cd")
"""Codex goes elsewhere by itself: then its folder is not that of the command."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The folder that a recorded command was started in, the client's home (``CODEX_HOME``), and
    whether it sent a key. A folder is ``None`` where a tape tells none, or several.
    """

    folder: str | None
    home: str | None
    has_key: bool


def setting_of(reader: TapeReader, overview: Overview) -> Setting:
    """What the tape tells of its client."""
    found = [_folders(reader, each) for each in islice(overview.sessions, _MOST_SESSIONS)]
    command = recorded_command(overview.label.command) or ()
    moves = any(word.partition("=")[0] in _MOVES for word in command)
    return Setting(
        None if moves else _one(each.get(Folder.WORK) for each in found),
        _one(each.get(Folder.HOME) for each in found),
        _has_key(reader, overview),
    )


def _folders(reader: TapeReader, session: Session) -> dict[Folder, str]:
    """Those that the first attempt tells of which asked something; a warm-up may leave them out."""
    attempts = [each.attempt for each in session.tries if each.attempt.kind in _ASKING]
    for attempt in sorted(attempts, key=lambda each: each.kind is RequestKind.WARM_UP):
        exchange = reader.exchange(attempt.exchange)
        if exchange is not None:
            return folders_in(asked_of(reader, exchange, attempt).input_items)
    return {}


def _one(told: Iterable[str | None]) -> str | None:
    """What all tell alike that tell it."""
    different = set(told) - {None}
    return different.pop() if len(different) == 1 else None


def _has_key(reader: TapeReader, overview: Overview) -> bool:
    first = reader.exchange(overview.sessions[0].tries[0].attempt.exchange)
    return first is not None and header(first.request.headers, "authorization") is not None


def place_for_replays(tape: Path) -> Path:
    """The folder to keep replays of a tape in: its own, where that can be written."""
    folder = tape.resolve().parent
    return folder if os.access(folder, os.W_OK) else Path(tempfile.gettempdir())
