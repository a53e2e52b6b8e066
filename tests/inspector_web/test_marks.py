"""When the server said something, and what about."""

from pathlib import Path

from chat_talk import CHAT_TARGET, chat_ask, chat_call, chat_chunk
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, failed, reasoning

from inspector_web.marks import About, Marks, marks_of
from wiretape.crossings import crossings_of
from wiretape.facts import PieceKind


def marks_on(maker: TapeMaker) -> Marks:
    """The marks of the first exchange."""
    with maker.read() as reader:
        exchange = reader.exchange(1)
        assert exchange is not None
        return marks_of(crossings_of(reader, exchange))


def told(marks: Marks) -> list[tuple[int, About]]:
    return [(at_us, marks.about(index)) for index, at_us in enumerate(marks.at_us)]


def added(kind: str) -> dict[str, object]:
    return {"type": "response.output_item.added", "item": {"type": kind}}


def test_each_event_is_about_the_item_that_is_open(tmp_path: Path) -> None:
    """An item counts from its begin to its end; between items it is the response's affair."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"))
    post.head(1)
    post.events(10, created())
    post.events(20, added("reasoning"))
    post.events(30, done(reasoning()))
    post.events(40, added("function_call"))
    post.events(50, {"type": "codex.rate_limits"})
    post.events(60, done(call("c")))
    post.events(70, added("message"))
    post.events(80, delta())
    post.events(90, done({"type": "message"}))
    post.events(99, completed())
    post.end(100)
    assert told(marks_on(maker)) == [
        (10_000, About.OTHER),
        (20_000, About.OTHER),
        (30_000, About.REASONING),
        (40_000, About.OTHER),
        (50_000, About.LIMITS),
        (60_000, About.TOOL),
        (70_000, About.OTHER),
        (80_000, About.TEXT),
        (90_000, About.TEXT),
        (99_000, About.OTHER),
    ]


def test_a_chunk_of_a_chat_is_about_what_it_streams(tmp_path: Path) -> None:
    """Reasoning, text, the arguments of a call; its end and its cost are the response's affair."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, chat_ask(), target=CHAT_TARGET)
    post.head(1)
    post.events(10, chat_chunk({"role": "assistant", "content": ""}))
    post.events(20, chat_chunk({"reasoning": "hm"}))
    post.events(30, chat_chunk({"content": "Be"}))
    post.events(40, chat_chunk(chat_call()))
    post.events(50, chat_chunk({}, "tool_calls"))
    post.events(60, "[DONE]")
    post.end(61)
    assert told(marks_on(maker)) == [
        (10_000, About.OTHER),
        (20_000, About.REASONING),
        (30_000, About.TEXT),
        (40_000, About.TOOL),
        (50_000, About.OTHER),
        (60_000, About.OTHER),
    ]


def test_a_failure_is_trouble(tmp_path: Path) -> None:
    """``response.failed`` and ``error`` are marked as such."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"))
    post.head(1)
    post.events(5, created())
    post.events(6, failed("server_error"))
    post.events(7, {"type": "error", "message": "late"})
    post.end(8)
    assert [about for _, about in told(marks_on(maker))] == [
        About.OTHER,
        About.TROUBLE,
        About.TROUBLE,
    ]


def test_control_frames_stand_apart(tmp_path: Path) -> None:
    """Pings, pongs and close frames are no word about the response; the client's words neither."""
    socket = (maker := TapeMaker(tmp_path / "tape.db")).socket(0)
    socket.ask(10, ask("hi"))
    socket.frame(20, PieceKind.PING)
    socket.say(30, created())
    socket.close(40, 1000)
    marks = marks_on(maker)
    assert told(marks) == [(30_000, About.OTHER)]
    assert list(marks.control_us) == [20_000, 40_000]


def test_a_body_that_is_no_stream_leaves_marks(tmp_path: Path) -> None:
    """The bytes of an error page are something that the server said."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"))
    post.refuse(5, 429, "busy")
    assert told(marks_on(maker)) == [(6_000, About.OTHER)]
