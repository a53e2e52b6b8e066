"""What else went ill in a session, told in few lines."""

from collections.abc import Callable
from pathlib import Path

from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, session

from inspector_web.health import Tale, Tone
from inspector_web.pages.tale import TaleRow, tale_rows
from wiretape.facts import EndKind

CUT = ("HTTP: cut: connection reset", "again over HTTP: completed")
LOST = ("HTTP, 3 tries: cut: connection reset",)


def test_requests_that_went_the_same_way_are_one_row() -> None:
    """What failed stands first, else they keep their order; a warm-up is told apart."""
    assert tale_rows(
        [
            Tale(1, True, CUT, Tone.WARN),
            Tale(2, False, CUT, Tone.WARN),
            Tale(3, False, LOST, Tone.BAD),
            Tale(5, False, CUT, Tone.WARN),
        ]
    ) == (
        TaleRow((3,), 0, False, LOST, Tone.BAD),
        TaleRow((1,), 0, True, CUT, Tone.WARN),
        TaleRow((2, 5), 0, False, CUT, Tone.WARN),
    )


def test_the_first_eight_requests_of_a_row_are_named() -> None:
    """The others are counted."""
    (row,) = tale_rows(Tale(number, False, CUT, Tone.WARN) for number in range(1, 12))
    assert (row.requests, row.more) == ((1, 2, 3, 4, 5, 6, 7, 8), 3)


def test_many_like_resets_take_one_line(folder: Path, browse: Callable[..., FlaskClient]) -> None:
    """So that the timeline stays on the first screen."""
    maker = TapeMaker(folder / "long.db")
    for number in range(12):
        post = maker.post(number * 1000, ask(f"Question {number}"), session("s"))
        post.head(number * 1000 + 10)
        post.end(number * 1000 + 20, EndKind.RESET)
        again = maker.post(number * 1000 + 200, ask(f"Question {number}"), session("s"))
        again.answer(number * 1000 + 210, created(), completed())
    maker.write()
    page = browse().get("/tapes/long/sessions/1.json").get_json()
    assert [(row["requests"], row["more"]) for row in page["tales"]] == [
        ([2, 3, 4, 5, 6, 7, 8, 9], 3)
    ]
    assert page["tales_left_out"] == 0


def test_a_warm_up_that_was_found_to_fail_is_told_once(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """By the finding, which does not say that it recovered: it was never tried again."""
    maker = TapeMaker(folder / "warm.db")
    socket = maker.socket(0, session("s"))
    socket.ask(5, ask("hi") | {"generate": False})
    socket.close(9, 1011, "busy")
    for at_ms in (100, 300):
        socket = maker.socket(at_ms, session("s"))
        socket.ask(at_ms + 5, ask("hi"))
        socket.close(at_ms + 9, 1011, "busy")
    maker.post(500, ask("hi"), session("s")).answer(510, created(), completed())
    maker.write()
    client = browse()
    assert client.get("/tapes/warm/sessions/1.json").get_json()["tales"] == []
    text = client.get("/tapes/warm/sessions/1").text
    assert "done without, request 1" in text
    assert "recovered, request 1" not in text
