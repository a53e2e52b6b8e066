"""What a finding says, and where it points."""

from collections.abc import Callable
from pathlib import Path

import pytest
from chat_talk import CHAT_TARGET, chat_ask, chat_chunk
from timed_tapes import (
    NEW_CODEX,
    TapeMaker,
    ask,
    call,
    completed,
    created,
    delta,
    done,
    failed,
    output,
    session,
)

from wiretape.diagnosis.advice import ADVICE
from wiretape.diagnosis.diagnose import Diagnosis, diagnose
from wiretape.diagnosis.kinds import Finding, Kind, Severity
from wiretape.diagnosis.rules import RULES
from wiretape.facts import EndKind, PieceKind, Sender
from wiretape.spot import Spot

S1 = session("s1")


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    """An empty tape."""
    return TapeMaker(tmp_path / "tape.db")


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


def test_every_kind_has_a_rule_a_meaning_and_advice() -> None:
    """The tables are whole."""
    assert set(RULES) == set(ADVICE) == set(Kind)


def test_a_healthy_tape_is_said_to_be_so(maker: TapeMaker) -> None:
    """With what was looked at."""
    answer(maker, 0)
    assert diagnosis(maker) == Diagnosis("nothing wrong: 1 session, 1 request.", ())


def test_an_empty_tape_holds_nothing_wrong(maker: TapeMaker) -> None:
    """And nothing at all."""
    assert diagnosis(maker) == Diagnosis("nothing wrong: no sessions.", ())


def test_the_worst_comes_first(maker: TapeMaker) -> None:
    """What was never answered, though it happened later; the verdict counts both."""
    maker.post(0, ask("one"), S1).refuse(1, 500)
    answer(maker, 300, "one")
    maker.post(500, ask("two"), S1).answer(501, created(), failed("invalid_prompt", "no"))
    found = diagnosis(maker)
    assert [(each.kind, each.severity, each.request) for each in found.findings] == [
        (Kind.FATAL, Severity.BROKEN, 2),
        (Kind.HTTP_ERROR, Severity.RECOVERED, 1),
    ]
    assert found.verdict == (
        "2 findings (1 broken, 1 recovered) in 1 session, 2 requests: "
        "refused for good: invalid_prompt: no."
    )


def test_a_finding_names_its_session_and_request(maker: TapeMaker) -> None:
    """By number and by the client's own name."""
    answer(maker, 0)
    maker.post(10, ask("hi", "more"), S1).refuse(11, 500)
    found = the_finding(maker, Kind.HTTP_ERROR)
    assert (found.session, found.session_id, found.request) == (1, "s1", 2)


def test_one_cause_makes_one_finding_of_a_request(maker: TapeMaker) -> None:
    """With the end of each try for evidence."""
    for at_ms in (0, 200):
        socket = maker.socket(at_ms, S1)
        socket.ask(at_ms + 5, ask("hi"))
        socket.say(at_ms + 6, created())
        socket.close(at_ms + 7, 1011, "broken")
    found = the_finding(maker, Kind.CLOSED_EARLY)
    assert found.what == (
        "WebSocket ended 2 times before the answer was complete: closed 1011 broken"
    )
    assert found.evidence == (Spot(1, 7000, "end", 0), Spot(2, 207_000, "end", 0))


def test_a_failed_warm_up_hurts_nobody_if_the_request_went_well(tmp_path: Path) -> None:
    """It is a finding, and a mild one."""
    maker = TapeMaker(tmp_path / "tape.db", NEW_CODEX)
    socket = maker.socket(0, S1)
    socket.ask(1, ask("rules", generate=False))
    socket.close(2, 1011)
    again = maker.socket(10, S1)
    again.ask(11, ask("rules", "hi"))
    again.say(12, created(), completed())
    assert the_finding(maker, Kind.CLOSED_EARLY).severity is Severity.RECOVERED


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


@pytest.mark.parametrize(
    ("fill", "kind", "what", "evidence"),
    [
        (
            silent,
            Kind.SILENCE,
            "the server said nothing for 6 min 0 s in the middle of an answer over HTTP, "
            "without a sign of life; the client gave up",
            (Spot(1, 6000, "silence"),),
        ),
        (
            silent_with_pings,
            Kind.SILENCE,
            "the server said nothing for 5.0 s in the middle of an answer over WebSocket, "
            "2 signs of life came meanwhile; the client gave up",
            (Spot(1, 6000, "silence", 0),),
        ),
        (
            silent_on_both,
            Kind.SILENCE,
            "the server said nothing for 3.0 s in the middle of an answer, without a sign of "
            "life; the client gave up 2 times over WebSocket and once over HTTP",
            (
                Spot(1, 6000, "silence", 0),
                Spot(2, 4_006_000, "silence", 0),
                Spot(3, 8_006_000, "silence"),
            ),
        ),
        (
            cut_on_both,
            Kind.CLOSED_EARLY,
            "WebSocket ended before the answer was complete: closed 1011 busy; "
            "HTTP ended before the answer was complete: the server hung up",
            (Spot(1, 7000, "end", 0), Spot(2, 207_000, "end")),
        ),
        (
            silent_on_both,
            Kind.FALLBACK,
            "the client fell back from WebSocket to HTTP after 2 tries; the last: the client gave "
            "up after 3.0 s of silence",
            (
                Spot(1, 3_006_000, "end", 0),
                Spot(2, 7_006_000, "end", 0),
                Spot(3, 8_000_000, "http.request"),
            ),
        ),
        (
            stormy,
            Kind.RETRY_STORM,
            "one request was tried again 7 times within 800 ms",
            tuple(
                Spot(exchange, (exchange - 1) * 100_000, "http.request")
                for exchange in (2, 4, 5, 6, 7, 8, 9)
            ),
        ),
        (
            chat_cut,
            Kind.TERMINAL_MISSING,
            "the stream ended without a finish reason or [DONE]",
            (Spot(1, 7000, "end"),),
        ),
        (
            refused_with_a_sentence,
            Kind.FATAL,
            "refused for good: 400 Bad Request: The model is unknown",
            (Spot(1, 5000, "http.response"),),
        ),
        (
            late_failure,
            Kind.FAILURE_MASKED,
            "response.failed (server_error: sorry) was known 5 min 0 s before the client hung up",
            (Spot(1, 6000, "response.failed"), Spot(1, 300_006_000, "end")),
        ),
        (
            done_only,
            Kind.TERMINAL_MISSING,
            "the stream ended without response.completed "
            "(response.done came, which this client takes no notice of)",
            (Spot(1, 6000, "response.done"), Spot(1, 7000, "end")),
        ),
        (
            error_over_sse,
            Kind.TERMINAL_MISSING,
            "the stream ended without response.completed "
            "(error came, which this client takes no notice of: server_error: sorry)",
            (Spot(1, 6000, "error"), Spot(1, 7000, "end")),
        ),
        (
            interrupted,
            Kind.CLIENT_LEFT,
            "the client left before the answer was complete: closed 1000",
            (Spot(1, 7000, "end", 0),),
        ),
        (
            dead_socket,
            Kind.DEAD_SOCKET,
            "a connection that had been used before gave nothing back: "
            "connection reset after 42 ms",
            (Spot(2, 90_000_000, "http.request"), Spot(2, 90_042_000, "end")),
        ),
        (
            impatient,
            Kind.RATE_LIMITED,
            "refused for the rate (429 Too Many Requests: rate_limit_exceeded: no): "
            "the client tried again after 244 ms, though 20.0 s were asked for",
            (Spot(1, 5000, "http.response"),),
        ),
        (
            patient,
            Kind.RATE_LIMITED,
            "refused for the rate (rate_limit_exceeded: Please try again in 2s): "
            "the client tried again after 2.0 s, as asked",
            (Spot(1, 6000, "response.failed"),),
        ),
        (
            busy_socket,
            Kind.RATE_LIMITED,
            "refused for the rate (429 Too Many Requests): the client tried again after 74 ms, "
            "though 1.0 s were asked for",
            (Spot(1, 4000, "http.response"),),
        ),
        (
            busy_twice,
            Kind.RATE_LIMITED,
            "refused 2 times for the rate (429 Too Many Requests: no): "
            "the client tried again after 94 ms; no delay was asked for, "
            "the client tried again after 394 ms; no delay was asked for",
            (Spot(1, 5000, "http.response"), Spot(2, 105_000, "http.response")),
        ),
        (
            unreadable,
            Kind.SWALLOWED,
            "2 events that the client cannot read: x (no JSON object: Expecting ',' delimiter "
            "at character 13), response.output_item.done (unreadable item)",
            (Spot(1, 6000, "x"), Spot(1, 6000, "response.output_item.done")),
        ),
        (
            unanswered,
            Kind.CALL_UNANSWERED,
            "1 call without an output: files.read (call c1); it was not among what followed",
            (Spot(1, 2000, "response.output_item.done"),),
        ),
        (
            gap,
            Kind.RECORDER_GAP,
            "3 facts with 100 B are missing: a test left it out",
            (Spot(1, 2000, "gap"),),
        ),
        (
            grown,
            Kind.GROWTH,
            "the input grew from 12,000 to 120,000 tokens within one request",
            (Spot(1, 0, "http.request"), Spot(2, 50_000, "http.request")),
        ),
    ],
)
def test_a_finding_says_what_was_seen_and_where(
    fill: Callable[[TapeMaker], None],
    kind: Kind,
    what: str,
    evidence: tuple[Spot, ...],
    maker: TapeMaker,
) -> None:
    """A sentence with the figures, and the places on the tape that show it."""
    fill(maker)
    found = the_finding(maker, kind)
    assert found.what == what
    assert found.evidence == evidence


@pytest.mark.parametrize(
    ("fill", "kind", "begins"),
    [
        (silent, Kind.SILENCE, ["No sign of life came"]),
        (silent_with_pings, Kind.SILENCE, ["Signs of life came"]),
        (
            cut_on_both,
            Kind.CLOSED_EARLY,
            ["The code is trouble of the server's own", "A body that is cut"],
        ),
        (hung_up_at_once, Kind.CLOSED_EARLY, ["Not even a head came"]),
        (chat_cut, Kind.TERMINAL_MISSING, ["Look at the log of the server"]),
        (refused_with_a_sentence, Kind.FATAL, ["The server does not take the request as it is"]),
        (done_only, Kind.TERMINAL_MISSING, ["A gateway that translates or shortens streams"]),
    ],
)
def test_advice_is_for_what_was_seen(
    fill: Callable[[TapeMaker], None], kind: Kind, begins: list[str], maker: TapeMaker
) -> None:
    """By transport, close code and error; each piece once, and none for anything else."""
    fill(maker)
    advice = the_finding(maker, kind).advice
    told = [advice.index(begin) for begin in begins]
    assert told[0] == 0
    assert told == sorted(told)
    others = [
        "No sign of life",
        "Signs of life",
        "The code is",
        "A body that is cut",
        "Not even a head",
        "No close code",
    ]
    expected = [each for each in others if any(begin.startswith(each) for begin in begins)]
    assert [each for each in others if each in advice] == expected


def test_advice_is_for_the_status(maker: TapeMaker) -> None:
    """A wrong key is nothing about a gateway."""
    maker.post(0, ask("hi"), S1).refuse(5, 401, {"error": {"message": "no such key"}})
    advice = the_finding(maker, Kind.HTTP_ERROR).advice
    assert (
        advice
        == "It is about the key or the login: see which one the client sends, and what it may do."
    )


@pytest.mark.parametrize(
    ("silence_ms", "is_found"), [(299_999, False), (300_000, True), (300_001, True)]
)
def test_a_silence_is_measured_against_the_clients_patience(
    silence_ms: float, is_found: bool, maker: TapeMaker
) -> None:
    """Five minutes, the default of ``stream_idle_timeout_ms``."""
    post = maker.post(0, ask("hi"), S1)
    post.head(5)
    post.events(10, created())
    post.events(10 + silence_ms, delta())
    post.events(10 + silence_ms, completed())
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.SILENCE in kinds) is is_found


@pytest.mark.parametrize(("rounds", "is_found"), [(229, False), (230, True)])
def test_a_loop_is_near_its_end_at_nine_tenths(
    rounds: int, is_found: bool, maker: TapeMaker
) -> None:
    """Of 256 rounds."""
    answer_with_calls(maker, call("c0"))
    for at in range(rounds):
        post = maker.post(50 + at * 10, ask("hi", call(f"c{at}"), output(f"c{at}")), S1)
        more = [done(call(f"c{at + 1}"))] if at + 1 < rounds else []
        post.answer(51 + at * 10, created(), *more, completed())
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.TOOL_LOOP in kinds) is is_found


@pytest.mark.parametrize(
    ("before", "after", "is_found"),
    [
        (10_000, 110_000, True),
        (10_000, 109_999, False),
        (150_000, 299_999, False),
        (150_000, 300_000, True),
    ],
)
def test_a_leap_is_large_and_at_least_doubles(
    before: int, after: int, is_found: bool, maker: TapeMaker
) -> None:
    """A hundred thousand tokens more, and twice as many."""
    maker.post(0, ask("hi"), S1).answer(1, created(), completed(given=before))
    maker.post(50, ask("hi", "more"), S1).answer(51, created(), completed(given=after))
    kinds = {each.kind for each in diagnosis(maker).findings}
    assert (Kind.GROWTH in kinds) is is_found


def test_evidence_is_not_without_end(maker: TapeMaker) -> None:
    """Twenty places are enough of what happens over and over; the count is whole."""
    post = maker.post(0, ask("hi"), S1)
    post.answer(5, created(), *["no json"] * 500, completed())
    found = the_finding(maker, Kind.SWALLOWED)
    assert found.what.startswith("500 events that the client cannot read")
    assert len(found.evidence) == 20
