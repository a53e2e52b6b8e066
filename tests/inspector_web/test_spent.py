"""Where a session's time went, added up by hand."""

from collections.abc import Callable
from pathlib import Path

from chat_talk import CHAT_TARGET, chat_ask, chat_call, chat_chunk
from flask.testing import FlaskClient
from inspected import marks_on, overview_on, timeline_on
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web.spent import spent_on
from inspector_web.stretches import Span, Use
from wiretape.facts import EndKind


def spent(path: Path) -> dict[Use, int]:
    timeline = timeline_on(path)
    found = spent_on(timeline, lambda exchange, *_: marks_on(path, exchange))
    (only,) = overview_on(path).sessions
    assert sum(each.us for each in found) == only.until_us - only.at_us
    assert [each.us for each in found] == sorted((each.us for each in found), reverse=True)
    return {each.use: each.us for each in found}


def test_retries_and_a_fallback(fallback: Path) -> None:
    """Two sockets of 30 ms, then an answer of 1.5 s, whose connection ends a millisecond later."""
    assert spent(fallback) == {
        Use.TEXT: 900_000,
        Use.REASONING: 400_000,
        Use.RETRY: 240_000,
        Use.WAITING: 140_000,
        Use.RECEIVING: 100_000,
        Use.IDLE: 9_000,
        Use.UNASKED: 9_000,
        Use.CONNECT: 2_000,
        Use.LEFT_OPEN: 1_000,
    }


def test_a_tool_round(rounds: Path) -> None:
    """The client's tools run from 300 to 900 ms."""
    assert spent(rounds) == {
        Use.TOOLS: 600_000,
        Use.TOOL: 190_000,
        Use.RECEIVING: 100_000,
        Use.WAITING: 90_000,
        Use.IDLE: 9_000,
        Use.CONNECT: 1_000,
    }


def chat(path: Path, *, asked_again_ms: int) -> Path:
    """A chat that calls a tool by 100 ms; its body ends at 400, and the next one's at 1500."""
    maker = TapeMaker(path)
    first = maker.post(0, chat_ask(), target=CHAT_TARGET)
    first.head(5)
    first.events(20, chat_chunk(chat_call()))
    first.events(100, chat_chunk({}, "tool_calls"), "[DONE]")
    first.end(400)
    call = {"role": "assistant", "tool_calls": chat_call()["tool_calls"]}
    told = {"role": "tool", "tool_call_id": "c1", "content": "done"}
    asked = chat_ask({"role": "user", "content": "hi"}, call, told)
    second = maker.post(asked_again_ms, asked, target=CHAT_TARGET)
    second.head(asked_again_ms + 1)
    second.events(1000, chat_chunk({"content": "It is done."}))
    second.events(1200, chat_chunk({}, "stop"), "[DONE]")
    second.end(1500)
    return maker.write()


def test_what_stays_open_after_its_answer_counts_as_that(tmp_path: Path) -> None:
    """Neither as the client's tools, which began by the call, nor as time without a request."""
    assert spent(chat(tmp_path / "tape.db", asked_again_ms=900)) == {
        Use.LEFT_OPEN: 600_000,
        Use.TOOLS: 500_000,
        Use.RECEIVING: 280_000,
        Use.WAITING: 120_000,
    }


def test_what_stays_open_while_more_is_asked_holds_up_nobody(tmp_path: Path) -> None:
    """From 150 ms on the client waits for its next answer."""
    assert spent(chat(tmp_path / "tape.db", asked_again_ms=150)) == {
        Use.WAITING: 870_000,
        Use.LEFT_OPEN: 350_000,
        Use.RECEIVING: 280_000,
    }


def test_a_socket_that_stays_open_at_the_end_is_no_part_of_it(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """The session is as long as its answers; the shares are of that."""
    socket = (maker := TapeMaker(folder / "idle.db")).socket(0, session("s"))
    socket.ask(1, ask("hi"))
    socket.say(10, created(), completed())
    socket.close(9000, 1000)
    assert spent(maker.write()) == {Use.WAITING: 9_000, Use.CONNECT: 1_000}
    page = browse().get("/tapes/idle/sessions/1.json").get_json()
    assert [row["share"] for row in page["spent"]] == [90.0, 10.0]
    assert page["drawing"]["whole"] == {"start_us": 0, "end_us": 9_000_000}


def test_a_silence_counts_before_what_it_lies_in(tmp_path: Path) -> None:
    """Text from 10 to 100 ms and from 4100 to 4200 ms; in between, and at the end, nothing came."""
    post = (maker := TapeMaker(tmp_path / "tape.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())
    post.events(100, delta("a"))
    post.events(4100, delta("b"))
    post.events(4200, delta("c"))
    post.end(6200, EndKind.CLIENT_CLOSED)
    assert spent(maker.write()) == {Use.SILENT: 6_000_000, Use.TEXT: 190_000, Use.WAITING: 10_000}


def retried_late(path: Path) -> Path:
    """The retry's socket is opened after 300 ms, but asked only 900 ms later."""
    first = (maker := TapeMaker(path)).socket(0, session("s"))
    first.ask(1, ask("hi"))
    first.close(100, 1011, "busy")
    second = maker.socket(400, session("s"))
    second.ask(1301, ask("hi"))
    second.say(1400, created(), completed())
    second.close(1400, 1000)
    return maker.write()


def test_a_new_socket_that_is_not_used_yet_counts_as_that(tmp_path: Path) -> None:
    """After a failed try: 300 ms to the new socket, 1 ms to its handshake, 900 ms until asked."""
    found = spent(retried_late(tmp_path / "tape.db"))
    assert (found[Use.RETRY], found[Use.UNASKED], Use.IDLE in found) == (300_000, 900_000, False)


def test_a_retry_tells_when_its_socket_was_opened_and_when_it_was_asked(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """Where there is time between the two."""
    retried_late(folder / "late.db")
    text = browse().get("/tapes/late/sessions/1").text
    assert "socket after 300 ms, asked after 1.2 s" in text


def test_what_goes_on_at_once_counts_once(tmp_path: Path) -> None:
    """For what began first: the second waits, and ends its text, while the first gets its own."""
    maker = TapeMaker(tmp_path / "tape.db")
    one, two = maker.post(0, ask("one"), session("s")), maker.post(50, ask("two"), session("s"))
    for post, end_ms in ((one, 300), (two, 400)):
        post.head(60)
        post.events(100, created())
        post.events(end_ms - 1, delta("a"))
        post.events(end_ms, completed())
        post.end(end_ms)
    assert spent(maker.write()) == {
        Use.TEXT: 299_000,
        Use.WAITING: 100_000,
        Use.RECEIVING: 1_000,
    }


def test_each_leads_to_where_most_of_it_is(fallback: Path) -> None:
    """The longest stretch, of several."""
    found = spent_on(timeline_on(fallback), lambda exchange, *_: marks_on(fallback, exchange))
    (retry,) = [each for each in found if each.use is Use.RETRY]
    assert retry.longest == Span(130_000, 330_000)


def test_the_page_of_a_session_tells_it(fallback: Path, browse: Callable[..., FlaskClient]) -> None:
    """In words, seconds and per cent, with a way to the place."""
    assert fallback.exists()
    text = browse().get("/tapes/fallback/sessions/1").text
    assert "1.8 s, of which</h2>" in text
    assert '>text</a> <b>900 ms</b> <span class="muted">50 %</span>' in text
    assert '>waiting to try again</a> <b>240 ms</b> <span class="muted">13 %</span>' in text


def test_the_parts_add_up(fallback: Path, browse: Callable[..., FlaskClient]) -> None:
    """Those under 1 % are counted together, on a phone those under 5 %; a pointer names them."""
    assert fallback.exists()
    text = browse().get("/tapes/fallback/sessions/1").text
    parts = text[text.index('class="spent"') : text.index("</section>", text.index("spent"))]
    assert parts.count("Where most of it is") == 5
    tiny = (
        "nothing asked 9 ms, new socket not used yet 9 ms, handshake 2 ms, "
        "open after the answer 1 ms"
    )
    for screen in ("small", "rest"):
        assert f'<li class="{screen}" title="{tiny}">and 4 more <b>21 ms</b></li>' in parts


def test_one_small_part_is_named(folder: Path, browse: Callable[..., FlaskClient]) -> None:
    """It needs no more room than its sum."""
    retried_late(folder / "late.db")
    text = browse().get("/tapes/late/sessions/1").text
    assert '>handshake</a> <b>2 ms</b> <span class="muted">under 1 %</span>' in text


def test_a_bar_and_the_sum_tell_the_same_of_a_silence(
    folder: Path, browse: Callable[..., FlaskClient]
) -> None:
    """Text that takes 4.1 s, 4.0 s of which nothing came."""
    post = (maker := TapeMaker(folder / "silent.db")).post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())
    post.events(50, delta("a"))
    post.events(4050, delta("b"))
    post.events(4110, delta("c"), completed())
    post.end(4110)
    maker.write()
    text = browse().get("/tapes/silent/sessions/1").text
    assert "<title>text 100 ms, silent 4.0 s</title>" in text
    assert "<title>silent 4.0 s</title>" in text
    assert ">text</a> <b>100 ms</b>" in text
