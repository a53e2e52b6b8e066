"""Tapes on each of which one thing went wrong, and what is found on them."""

from chat_talk import CHAT_TARGET, chat_ask, chat_chunk
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    done,
    failed,
    output,
    session,
)

from wiretape.diagnosis.diagnose import Diagnosis, diagnose
from wiretape.diagnosis.kinds import Finding, Kind
from wiretape.facts import EndKind, PieceKind, Sender

S1 = session("s1")


def diagnosis(maker: TapeMaker) -> Diagnosis:
    """The diagnosis of the tape."""
    with maker.read() as reader:
        return diagnose(reader)


def the_finding(maker: TapeMaker, kind: Kind) -> Finding:
    """The only finding of a kind."""
    (found,) = [each for each in diagnosis(maker).findings if each.kind is kind]
    return found


def answer(maker: TapeMaker, at_ms: float, text: str = "hi") -> None:
    """A POST that is answered well."""
    maker.post(at_ms, ask(text), S1).answer(at_ms + 1, created(), completed())


def silent(maker: TapeMaker) -> None:
    """Six minutes of silence over SSE, then another try."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created())
    post.end(360_006, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    answer(maker, 360_300)


def silent_with_pings(maker: TapeMaker) -> None:
    """Five seconds with two pings, then another try."""
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    socket.frame(2000, PieceKind.PING)
    socket.frame(4000, PieceKind.PING)
    socket.end(5006, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    answer(maker, 5300)


def late_failure(maker: TapeMaker) -> None:
    """A failure that is known five minutes before the client hangs up."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(6, created(), failed("server_error", "sorry"))
    post.end(300_006, EndKind.CLIENT_CLOSED, Sender.CLIENT)


def done_only(maker: TapeMaker) -> None:
    """An end that the newer client does not take for one."""
    maker.agent = NEW_CODEX
    maker.post(0, ask("hi"), S1).answer(5, created(), {"type": "response.done"})


def dead_socket(maker: TapeMaker) -> None:
    """A connection that was used, idle, and is dead."""
    maker.post(0, ask("hi"), S1, connection=7).answer(1, created(), completed())
    post = maker.post(90_000, ask("hi", "more"), S1, connection=7)
    post.end(90_042, EndKind.RESET, Sender.SERVER)


def impatient(maker: TapeMaker) -> None:
    """A try before the time that was asked for."""
    busy = {"error": {"code": "rate_limit_exceeded", "message": "no"}}
    maker.post(0, ask("hi"), S1).refuse(5, 429, busy, (("retry-after", "20"),))
    answer(maker, 250)


def patient(maker: TapeMaker) -> None:
    """A try just in time, within what a timer may be off."""
    said = failed("rate_limit_exceeded", "Please try again in 2s")
    maker.post(0, ask("hi"), S1).answer(5, created(), said)
    answer(maker, 2003)


def busy_socket(maker: TapeMaker) -> None:
    """A refused upgrade, and another one for which the client waited 74 ms."""
    maker.upgrade(0, S1).refuse(4, 429, "", (("retry-after", "1"),))
    socket = maker.socket(79, S1)
    socket.ask(99, ask("hi"))
    socket.say(100, created(), completed())


def silent_on_both(maker: TapeMaker) -> None:
    """Two sockets and one stream on which nothing more comes."""
    for at_ms in (0, 4000):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 5, ask("hi"))
        socket.say(at_ms + 6, created())
        socket.end(at_ms + 3006, EndKind.CLIENT_CLOSED, Sender.CLIENT)
    post = maker.post(8000, ask("hi"), S1)
    post.head(8005)
    post.events(8006, created())
    post.end(11_006, EndKind.CLIENT_CLOSED, Sender.CLIENT)


def cut_on_both(maker: TapeMaker) -> None:
    """A socket that is closed, and a body that is cut."""
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    socket.close(7, 1011, "busy")
    post = maker.post(200, ask("hi"), S1)
    post.head(205)
    post.events(206, created())
    post.end(207, EndKind.SERVER_CLOSED, Sender.SERVER)


def hung_up_at_once(maker: TapeMaker) -> None:
    """Not even a head came."""
    maker.post(0, ask("hi"), S1).end(5, EndKind.SERVER_CLOSED, Sender.SERVER)


def stormy(maker: TapeMaker) -> None:
    """Refused over WebSocket twice, then over HTTP again and again."""
    for at_ms in (0, 100):
        maker.upgrade(at_ms, S1).refuse(at_ms + 5, 500)
    for at_ms in range(200, 900, 100):
        maker.post(at_ms, ask("hi"), S1).refuse(at_ms + 5, 500)


def chat_cut(maker: TapeMaker) -> None:
    """A chat without an end."""
    maker.post(0, chat_ask(), target=CHAT_TARGET).answer(5, chat_chunk({"content": "a"}))


def refused_with_a_sentence(maker: TapeMaker) -> None:
    """The server's words end with a full stop."""
    maker.post(0, ask("hi"), S1).refuse(5, 400, {"error": {"message": "The model is unknown."}})


def busy_twice(maker: TapeMaker) -> None:
    """Refused, tried again, refused, tried again; each wait is measured to the next try."""
    for at_ms in (0, 100):
        maker.post(at_ms, ask("hi"), S1).refuse(at_ms + 5, 429, {"error": {"message": "no"}})
    answer(maker, 500)


def unreadable(maker: TapeMaker) -> None:
    """Text that is no JSON, and an item without its arguments."""
    item = {"type": "function_call", "name": "n", "call_id": "c1"}
    maker.post(0, ask("hi"), S1).answer(5, created(), '{"type": "x" oops', done(item), completed())


def unanswered(maker: TapeMaker) -> None:
    """An MCP call that is not among the outputs."""
    answer_with_calls(maker, call("c1", "mcp__files__read"), call("c2"))
    maker.post(50, ask("hi", call("c2"), output("c2")), S1).answer(51, created(), completed())


def answer_with_calls(maker: TapeMaker, *calls: dict[str, object]) -> None:
    """A POST whose answer makes these calls."""
    maker.post(0, ask("hi"), S1).answer(1, created(), *map(done, calls), completed())


def error_over_sse(maker: TapeMaker) -> None:
    """The server says what went wrong in an event that Codex passes over."""
    error = {"type": "error", "error": {"code": "server_error", "message": "sorry"}}
    maker.post(0, ask("hi"), S1).answer(5, created(), error)


def interrupted(maker: TapeMaker) -> None:
    """The client closes its socket in the middle of an answer."""
    socket = maker.socket(0, S1)
    socket.ask(5, ask("hi"))
    socket.say(6, created())
    socket.close(7, 1000, side=Sender.CLIENT)


def gap(maker: TapeMaker) -> None:
    """Three facts of one exchange are lost."""
    answer(maker, 0)
    maker.gap(2, 3, exchange=1, lost_facts=3)


def grown(maker: TapeMaker) -> None:
    """From twelve thousand tokens to ten times as many."""
    maker.post(0, ask("hi"), S1).answer(1, created(), completed(given=12_000))
    maker.post(50, ask("hi", "more"), S1).answer(51, created(), completed(given=120_000))
