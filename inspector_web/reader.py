"""One read-only tape for each request of the browser, closed when it is answered."""

from pathlib import Path

from flask import Flask, current_app, g

from inspector_web.growth import joined, tape_mark, tape_state
from inspector_web.index.reader import IndexReader
from inspector_web.library import Library
from inspector_web.overview import Overview
from inspector_web.readings import Look, edition_of
from inspector_web.shelf import Shelf, StillReading, overview_in
from inspector_web.standing import Standing, standing_of
from wiretape.store_presence import is_being_written
from wiretape.store_reader import TapeReader


def attach(app: Flask, library: Library, shelf: Shelf) -> None:
    """Gives the app its tapes."""
    app.extensions["library"] = library
    app.extensions["shelf"] = shelf
    app.teardown_appcontext(_close)


def library() -> Library:
    found = current_app.extensions["library"]
    assert isinstance(found, Library)
    return found


def shelf() -> Shelf:
    found = current_app.extensions["shelf"]
    assert isinstance(found, Shelf)
    return found


def open_tape(name: str) -> TapeReader:
    """The tape of that name, open until the request is answered.

    Raises:
        TapeError: there is no such tape, or it cannot be used.
    """
    reader = open_path(library().find(name))
    g.mark = tape_mark(reader)
    return reader


def open_path(path: Path) -> TapeReader:
    """The tape at ``path``; the one that was open for this request before is closed."""
    _close()
    g.edition = edition_of(path)
    g.tape = reader = TapeReader(path)
    return reader


def open_overview(reader: TapeReader) -> Overview:
    """The tape at a glance.

    Raises:
        TapeError: it is damaged.
        StillReading: it is being read for the first time.
    """
    return overview_in(_looked(reader))


def overview_so_far(reader: TapeReader) -> Overview | None:
    """The same, for a page that needs it for little: ``None`` for a tape that is being read for the
    first time."""
    try:
        return overview_in(_looked(reader))
    except StillReading:
        return None


def _looked(reader: TapeReader) -> Look:
    g.look = look = shelf().look(reader.path)
    g.setdefault("looks", {})[reader.path] = look
    return look


def standing() -> Standing | None:
    """How what this request shows stands to its tape, if it has opened one and looked at it."""
    reader: TapeReader | None = g.get("tape")
    look: Look | None = g.get("look")
    return None if reader is None or look is None else standing_of(reader, look)


def mark() -> str | None:
    """What tells the tape that this request names from another one at its place, if it names
    one."""
    found: str | None = g.get("mark")
    return found


def growth_seen(*, is_of_facts: bool) -> str | None:
    """The state of what this request shows of a tape, if there will be more to show."""
    found = standing()
    if found is None or not found.will_change:
        return None
    return tape_state(g.tape.path, g.look, g.edition if is_of_facts else "")


def sides_seen() -> str | None:
    """The same of a page that has looked at several tapes, one after the other."""
    looks: dict[Path, Look] = g.get("looks", {})
    if any(look.is_behind or is_being_written(path) for path, look in looks.items()):
        return joined(tape_state(path, look) for path, look in looks.items())
    return None


def open_index(reader: TapeReader) -> IndexReader:
    """The index of the tape, open until the request is answered."""
    g.index = index = shelf().index(reader)
    return index


def _close(_error: BaseException | None = None) -> None:
    index: IndexReader | None = g.pop("index", None)
    if index is not None:
        index.close()
    reader: TapeReader | None = g.pop("tape", None)
    if reader is not None:
        reader.close()
