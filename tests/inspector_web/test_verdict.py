"""The verdict on a session, which is one story of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from timed_tapes import TapeMaker, ask, completed, created, delta, session

from inspector_web.ends import label_of, said
from inspector_web.health import Tone, tales_of, verdict_of
from wiretape.diagnosis.diagnose import diagnose
from wiretape.facts import EndKind, Sender
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter


def session_on(path: Path) -> Session:
    with TapeReader(path) as reader:
        return sessions_of(reader)[0]


@pytest.fixture
def maker(tmp_path: Path) -> TapeMaker:
    return TapeMaker(tmp_path / "tape.db")


def stall(maker: TapeMaker, at_ms: int, silent_ms: int) -> None:
    """A request over HTTP, one event, and silence until the client hangs up."""
    post = maker.post(at_ms, ask("hi"), session("s"))
    post.head(at_ms + 5)
    post.events(at_ms + 10, created())
    post.end(at_ms + 10 + silent_ms, EndKind.CLIENT_CLOSED)


def test_the_last_request_failed(maker: TapeMaker) -> None:
    """Each try in its place; a silence as long as it was at least and at most."""
    socket = maker.socket(0, session("s"))
    socket.ask(5, ask("hi"))
    socket.close(9, 1011, "busy")
    stall(maker, 100, 3000)
    stall(maker, 4000, 3100)
    verdict = verdict_of(session_on(maker.write()))
    assert verdict.tone is Tone.BAD
    assert verdict.text == (
        "Failed: WebSocket: cut: closed 1011 busy → fallback to HTTP, 2 tries: client gave up "
        "after 3.0 s to 3.1 s of silence"
    )


def test_a_request_that_needed_more_than_one_try(fallback: Path) -> None:
    """Tries that went the same way are one step."""
    verdict = verdict_of(session_on(fallback))
    assert (verdict.tone, verdict.text) == (
        Tone.WARN,
        "Recovered: WebSocket, 2 tries: cut: closed 1011 no luck → fallback to HTTP: completed",
    )


def test_retries_that_were_all_given_up_are_one_step(maker: TapeMaker) -> None:
    """However long each was silent."""
    for at_ms, silent_ms in ((0, 2000), (3000, 3000), (7000, 4000)):
        stall(maker, at_ms, silent_ms)
    assert verdict_of(session_on(maker.write())).text == (
        "Failed: HTTP, 3 tries: client gave up after 2.0 s to 4.0 s of silence"
    )


def test_what_failed_in_between_counts_less(maker: TapeMaker) -> None:
    """The session went on, and its last request was answered."""
    maker.post(0, ask("one"), session("s")).refuse(5, 400)
    maker.post(10, ask("two"), session("s")).answer(15, created(), completed())
    verdict = verdict_of(session_on(maker.write()))
    assert (verdict.tone, verdict.word) == (Tone.WARN, "Failed, then went on")


def unanswered(maker: TapeMaker) -> None:
    """A request over HTTP of whose answer the tape holds one event."""
    post = maker.post(0, ask("hi"), session("s"))
    post.head(5)
    post.events(10, created())


@pytest.mark.parametrize(
    ("is_cut_off", "text"),
    [
        (False, "Not over: HTTP: not over"),
        (True, "Cut off: HTTP: the recording was cut off after 1 event"),
    ],
)
def test_what_is_not_over_is_no_failure(maker: TapeMaker, is_cut_off: bool, text: str) -> None:
    """Where the recording was cut off, that is said, and where."""
    unanswered(maker)
    maker.is_cut_off = is_cut_off
    verdict = verdict_of(session_on(maker.write()))
    assert (verdict.tone, verdict.text) == (Tone.NOTE, text)


def test_what_is_being_recorded_still_runs(maker: TapeMaker) -> None:
    """It may be answered yet."""
    unanswered(maker)
    with TapeWriter(maker.path, maker.label, on_trouble=pytest.fail) as writer:
        for fact in maker.facts:
            writer.put(fact)
        while not has_events(maker.path):
            pass
        verdict = verdict_of(session_on(maker.path))
    assert (verdict.tone, verdict.text) == (Tone.NOTE, "Running: HTTP: going on, 1 event so far")


def has_events(path: Path) -> bool:
    """Whether what was put on a tape can be read from it."""
    with TapeReader(path) as reader:
        return any(True for session in sessions_of(reader) for _ in range(session.events))


def test_a_bar_that_was_cut_off_says_so(maker: TapeMaker) -> None:
    """Beside its end on the timeline."""
    unanswered(maker)
    maker.is_cut_off = True
    assert label_of(session_on(maker.write()).tries[0].attempt) == "cut off"


def test_what_went_well_but_for_a_finding_names_it(maker: TapeMaker) -> None:
    """There is no story of tries to tell."""
    post = maker.post(0, ask("hi"), session("s"))
    post.answer(5, created(), {"type": "response.output_text.delta"}, delta("a"), completed())
    with TapeReader(maker.write()) as reader:
        findings = diagnose(reader).findings
        verdict = verdict_of(sessions_of(reader)[0], findings)
    assert verdict.word == "Completed"
    assert verdict.tone is not Tone.GOOD
    assert verdict.note == findings[0].what


@pytest.mark.parametrize(
    ("findings", "text"), [(None, "Completed"), ([], "Completed: nothing wrong")]
)
def test_nothing_is_called_right_before_it_is_known(
    rounds: Path, findings: list[object] | None, text: str
) -> None:
    """Only a diagnosed session has nothing wrong with it."""
    assert verdict_of(session_on(rounds), None if findings is None else ()).text == text


type Ending = Callable[[TapeMaker], object]


def ended(how: EndKind, side: Sender | None = None) -> Ending:
    """A request over HTTP whose answer began and ended so, 20 ms later."""

    def end(maker: TapeMaker) -> None:
        post = maker.post(0, ask("hi"), session("s"))
        post.head(5)
        post.events(10, created())
        post.end(30, how, side)

    return end


@pytest.mark.parametrize(
    ("make", "label", "words"),
    [
        (ended(EndKind.SERVER_CLOSED), "hung up", "cut: the server hung up"),
        (ended(EndKind.RESET, Sender.SERVER), "reset", "cut: connection reset"),
        (ended(EndKind.COMPLETE), "ended early", "cut: the stream ended early"),
        (ended(EndKind.CLIENT_CLOSED), "client left", "client hung up"),
        (
            lambda maker: stall(maker, 0, 3000),
            "gave up",
            "client gave up after 3.0 s of silence",
        ),
        (
            lambda maker: maker.post(0, ask("hi"), session("s")).refuse(5, 429),
            "429",
            "answered 429 Too Many Requests",
        ),
    ],
)
def test_each_failed_end_has_a_label(
    maker: TapeMaker, make: Ending, label: str, words: str
) -> None:
    """A number or a word beside the bar; more in the tables."""
    make(maker)
    attempt = session_on(maker.write()).tries[0].attempt
    assert (label_of(attempt), said(attempt)) == (label, words)


def test_a_warm_up_that_failed_is_no_failure(maker: TapeMaker) -> None:
    """It is for speed alone: what is asked after it is asked all the same."""
    socket = maker.socket(0, session("s"))
    socket.ask(5, ask("hi") | {"generate": False})
    socket.close(9, 1011, "busy")
    maker.post(100, ask("hi"), session("s")).answer(110, created(), completed())
    (tale,) = tales_of(session_on(maker.write()))
    assert (tale.is_warm_up, tale.tone) == (True, Tone.WARN)
