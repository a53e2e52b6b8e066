"""What is worked out of a tape is kept until the file changes."""

from pathlib import Path

import pytest
from timed_tapes import TapeMaker, ask, completed, created, message, session

from inspector_web import shelf as shelf_module
from inspector_web.shelf import Overview, Shelf
from wiretape.errors import NotATape
from wiretape.store_reader import TapeReader


def words_of(maker: TapeMaker) -> tuple[str, ...]:
    found = Shelf().look(maker.write())
    assert isinstance(found, Overview)
    return found.words


def test_a_tape_is_read_once(fallback: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second look is the same object, and knows so beforehand."""
    shelf = Shelf()
    assert not shelf.knows(fallback)
    first = shelf.look(fallback)
    assert shelf.knows(fallback)
    monkeypatch.setattr(shelf_module, "sessions_of", None)
    assert shelf.look(fallback) is first


def test_a_tape_that_changed_is_read_again(folder: Path) -> None:
    """As one does that is still being written."""
    shelf = Shelf()
    maker = TapeMaker(folder / "tape.db")
    maker.post(0, ask("hi"), session("a")).answer(1, created(), completed())
    before = shelf.look(maker.write())
    maker.path.unlink()
    maker.post(10, ask("ho"), session("b")).answer(11, created(), completed())
    after = shelf.look(maker.write())
    assert isinstance(before, Overview)
    assert isinstance(after, Overview)
    assert (len(before.sessions), len(after.sessions)) == (1, 2)


def test_a_damaged_tape_is_a_reason(folder: Path) -> None:
    """Looking gives the error instead of raising it; opening its overview raises."""
    path = folder / "broken.db"
    path.write_bytes(b"no database")
    assert isinstance(Shelf().look(path), NotATape)


def test_timelines_are_kept(fallback: Path) -> None:
    """Zooming does not read the tape again."""
    shelf = Shelf()
    with TapeReader(fallback) as reader:
        assert shelf.timeline(reader, 1) is shelf.timeline(reader, 1)


def test_what_was_used_last_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tape that was looked at longest ago makes room."""
    monkeypatch.setattr(shelf_module, "_KEPT_TAPES", 2)
    shelf = Shelf()
    paths = [TapeMaker(folder / f"{name}.db").write() for name in "abc"]
    shelf.look(paths[0])
    shelf.look(paths[1])
    shelf.look(paths[0])
    shelf.look(paths[2])
    assert [shelf.knows(path) for path in paths] == [True, False, True]


def test_the_first_words_are_the_last_of_the_first_request(tmp_path: Path) -> None:
    """What a client puts in front in the user's name is not what the person said."""
    maker = TapeMaker(tmp_path / "tape.db")
    body = ask("<environment_context>", "Fix it.", message("an answer", "assistant"))
    maker.post(0, body, session("a")).answer(1, created(), completed())
    maker.post(10, ask("And then?"), session("a")).answer(11, created(), completed())
    assert words_of(maker) == ("Fix it.",)


def test_a_warm_up_is_asked_for_words_last(tmp_path: Path) -> None:
    """It holds the client's own context only."""
    maker = TapeMaker(tmp_path / "tape.db")
    socket = maker.socket(0, session("a"))
    socket.ask(10, ask("context", generate=False))
    socket.say(11, created(), completed())
    socket.ask(20, ask("Fix it."))
    socket.say(21, created(), completed())
    assert words_of(maker) == ("Fix it.",)


def test_words_of_a_chat(tmp_path: Path) -> None:
    """Plain content and parts alike."""
    maker = TapeMaker(tmp_path / "tape.db")
    body = {"messages": [{"role": "system", "content": "x"}, {"role": "user", "content": "Hi."}]}
    maker.post(0, body, session("a"), target="/v1/chat/completions").answer(1, "[DONE]")
    assert words_of(maker) == ("Hi.",)


def test_a_tape_without_requests_has_no_sessions(tmp_path: Path) -> None:
    """A socket on which nothing was asked is none."""
    maker = TapeMaker(tmp_path / "tape.db")
    maker.socket(0, session("a")).close(10, 1000)
    assert words_of(maker) == ()
