"""What is worked out of a tape is kept until the file changes."""

import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from growing import GrowingTape
from inspected import overview_on
from timed_tapes import TapeMaker, ask, completed, created, message, session

from inspector_web import readings
from inspector_web.readings import Look
from inspector_web.shelf import Shelf, StillReading, overview_in, timeline_on
from wiretape.errors import NotATape
from wiretape.store_reader import TapeReader

PATIENT_S = 60.0


def words_of(maker: TapeMaker) -> tuple[str, ...]:
    return overview_on(maker.write()).words


def test_a_tape_is_read_once(fallback: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second look is the same object."""
    shelf = Shelf(None, PATIENT_S)
    first = shelf.look(fallback)
    assert first.is_over
    monkeypatch.setattr(readings, "_read", None)
    assert shelf.look(fallback).overview is first.overview is not None


def test_what_was_read_is_kept_for_the_next_program(
    fallback: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder of indexes, findings and all; the sessions are not made anew."""
    first = Shelf(tmp_path / "indexes", PATIENT_S).look(fallback).overview
    monkeypatch.setattr(readings, "sessions_of", None)
    second = Shelf(tmp_path / "indexes", PATIENT_S).look(fallback).overview
    assert first is not None and second is not None
    assert second.sessions == first.sessions
    assert second.told == first.told
    assert second.told is not None and len(second.told) == 3


def test_nobody_else_may_read_an_index(fallback: Path, tmp_path: Path) -> None:
    """The letters of prompts are in it."""
    Shelf(tmp_path / "indexes", PATIENT_S).look(fallback)
    (index,) = (tmp_path / "indexes").glob("*.db")
    assert stat.S_IMODE(index.stat().st_mode) == 0o600
    assert stat.S_IMODE(index.parent.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_no_failure(fallback: Path) -> None:
    """The index goes with the program then, and nothing is left of it."""
    shelf = Shelf(fallback / "no folder", PATIENT_S)
    assert shelf.look(fallback).overview is not None
    with TapeReader(fallback) as reader, shelf.index(reader) as index:
        assert index.types() != []


def test_a_tape_that_changed_is_read_again(folder: Path) -> None:
    """As one does that is still being written."""
    shelf = Shelf(None, PATIENT_S)
    maker = TapeMaker(folder / "tape.db")
    maker.post(0, ask("hi"), session("a")).answer(1, created(), completed())
    before = shelf.look(maker.write()).overview
    maker.path.unlink()
    maker.post(10, ask("ho"), session("b")).answer(11, created(), completed())
    after = shelf.look(maker.write()).overview
    assert before is not None and after is not None
    assert (len(before.sessions), len(after.sessions)) == (1, 2)


def test_a_tape_that_grew_rests_before_it_is_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that one that grows all the time does not keep a processor busy; it is known as it was."""
    monkeypatch.setattr(readings, "REST", 1e9)
    shelf = Shelf(None, PATIENT_S)
    with GrowingTape(folder / "tape.db", 1) as tape:
        before = shelf.look(tape.path)
        tape.add(1)
        monkeypatch.setattr(readings, "_read", None)
        after = shelf.look(tape.path)
    assert (before.is_behind, after.is_behind) == (False, True)
    assert after.overview is before.overview is not None


def test_a_tape_that_rests_is_waited_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it will be read within the time that somebody waits."""
    monkeypatch.setattr(readings, "REST", 1)
    shelf = Shelf(None, PATIENT_S)
    with GrowingTape(folder / "tape.db", 1) as tape:
        shelf.look(tape.path)
        tape.add(1)
        look = shelf.look(tape.path)
    assert look.overview is not None
    assert (look.is_behind, len(look.overview.sessions[0].requests)) == (False, 2)


def test_a_damaged_tape_is_a_reason(folder: Path) -> None:
    """Looking gives the error instead of raising it; opening its overview raises."""
    path = folder / "broken.db"
    path.write_bytes(b"no database")
    assert isinstance(Shelf(None, PATIENT_S).look(path).error, NotATape)


def test_without_patience_one_is_told_how_far_it_is(fallback: Path) -> None:
    """Instead of being kept waiting."""
    shelf = Shelf(None, 0)
    reads = pytest.raises(StillReading, match="is being read for the first time, 0% so far")
    with reads:
        overview_in(shelf.look(fallback))


def test_a_long_tape_does_not_hold_up_short_ones(
    folder: Path, fallback: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read meanwhile."""
    monkeypatch.setattr(readings, "_LONG_BYTES", 20_000)
    long = TapeMaker(folder / "long.db")
    noise = "".join(f"{number * 2654435761 % 2**32:x}" for number in range(9000))
    long.post(0, ask(noise), session("a")).answer(1, created(), completed())
    assert long.write().stat().st_size > 20_000 > fallback.stat().st_size
    may_go_on = threading.Event()
    read = readings._read

    def held_up(path: Path, *rest: Any) -> Iterator[Look]:
        if path == long.path:
            assert may_go_on.wait(60)
        return read(path, *rest)

    monkeypatch.setattr(readings, "_read", held_up)
    shelf = Shelf(None, PATIENT_S)
    assert shelf.glance(long.path, 0).overview is None
    assert shelf.look(fallback).is_over
    may_go_on.set()
    assert shelf.look(long.path).is_over


def test_timelines_are_kept(fallback: Path) -> None:
    """Zooming does not work them out again."""
    overview = overview_on(fallback)
    assert timeline_on(overview, 1) is timeline_on(overview, 1)


def test_what_was_used_last_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tape that was looked at longest ago makes room."""
    monkeypatch.setattr(readings, "_KEPT_TAPES", 2)
    shelf = Shelf(None, PATIENT_S)
    paths = [TapeMaker(folder / f"{name}.db").write() for name in "abc"]
    kept = [shelf.look(paths[at]).overview for at in (0, 1, 0, 2)]
    assert shelf.look(paths[0]).overview is kept[0] is kept[2]
    assert shelf.look(paths[1]).overview is not kept[1]


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


def test_a_tape_that_is_known_as_it_was_keeps_nobody_waiting(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is shown at once, with the moment that it is of; it is read again all the same."""
    monkeypatch.setattr(readings, "REST", 0)
    monkeypatch.setattr(readings, "_OF_PATIENCE_IF_OLD", 0)
    shelf = Shelf(None, PATIENT_S)
    may_go_on = threading.Event()
    read = readings._read

    def held_up(*given: Any) -> Iterator[Look]:
        assert may_go_on.wait(PATIENT_S)
        return read(*given)

    with GrowingTape(folder / "tape.db", 1) as tape:
        before = shelf.look(tape.path)
        monkeypatch.setattr(readings, "_read", held_up)
        tape.add(1)
        after = shelf.look(tape.path)
        assert (after.is_behind, after.overview) == (True, before.overview)
        assert after.as_of_us == before.as_of_us is not None
        may_go_on.set()
        while (look := shelf.look(tape.path)).is_behind:
            pass
    assert look.overview is not None
    assert len(look.overview.sessions[0].requests) == 2
    assert look.as_of_us is not None and look.as_of_us > after.as_of_us
