"""One read-only tape for each request of the browser, closed when it is answered."""

from pathlib import Path

from flask import Flask, current_app, g

from inspector_web.growth import state_of
from inspector_web.index.reader import IndexReader
from inspector_web.library import Library
from inspector_web.shelf import Shelf
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
    return open_path(library().find(name))


def open_path(path: Path) -> TapeReader:
    """The tape at ``path``; the one that was open for this request before is closed."""
    _close()
    g.state = state_of([path])
    g.tape = reader = TapeReader(path)
    return reader


def growth_seen() -> str | None:
    """The state of the tape that this request has opened, if more may come to it."""
    reader: TapeReader | None = g.get("tape")
    return None if reader is None or reader.is_closed() else str(g.state)


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
