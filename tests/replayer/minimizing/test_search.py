"""The search, level after level, with a client that is a function."""

import json

import pytest
from tapes import Recording, answer, create, sse
from wholes import whole

from replayer.minimizing.search import Search
from replayer.minimizing.symptom import symptom_of
from replayer.report import ReplayedRequest, Report, Verdict
from replayer.trials.trial import Trial
from wiretape import recording
from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.errors import UsageError
from wiretape.scripts.writing import write_script
from wiretape.sse import SseDecoder

BROKEN = {"type": "response.broken", "why": {"code": 7, "words": "long ones"}, "more": []}

SMALLEST = """\
# A script of wiretape: docs/scripts.md describes it.
wiretape_script: 1
exchanges:
- request: POST https://api.openai.com/v1/responses
  answer:
    headers:
      content-type: text/event-stream; charset=utf-8
  steps:
  - {"type":"response.broken","why":{"code":7}}
"""


def trial(exit_code: int | None = 0, printed: str = "", unexpected: int = 0) -> Trial:
    missed = ReplayedRequest(
        1, Transport.HTTP, RequestKind.CREATE, 1, Verdict.UNEXPECTED, None, None
    )
    return Trial(exit_code, printed, "", 0.0, Report([missed] * unexpected), ())


def rounds() -> recording.Recording:
    """Three answers, of which the second is broken in its middle."""
    built = Recording()
    built.get("/models", b"[]")
    for text in ("one", "two", "three"):
        first, *rest = answer(text)
        broken = [BROKEN] if text == "two" else []
        built.post(create(text), sse(first, *broken, *rest))
    return whole(built)


def breaks(candidate: recording.Recording) -> Trial:
    """A client that ends with the code that it is sent."""
    body = b"".join(piece.data for each in candidate.exchanges for piece in each.pieces)
    events = [json.loads(event.data) for event in SseDecoder().feed(body.removeprefix(b"[]"))]
    codes = [
        event.get("why", {}).get("code") for event in events if event["type"] == BROKEN["type"]
    ]
    return trial(3 if codes == [7] else 0)


def test_what_is_left_is_what_the_symptom_needs() -> None:
    """One request, one event, one member of it, and nothing that differs from run to run."""
    told: list[str] = []
    search = Search(rounds(), symptom_of(breaks(rounds()), ["exit"]), breaks, told.append)
    search.all_levels()
    assert write_script(search.best) == SMALLEST
    assert told[-1] == f"members inside these: 1 of 2 left, {search.tries - 1} runs"


def test_a_search_that_is_stopped_keeps_what_it_found() -> None:
    """At every moment ``best`` shows the symptom."""
    runs = 0

    def until_stopped(candidate: recording.Recording) -> Trial:
        nonlocal runs
        runs += 1
        if runs == 6:
            raise KeyboardInterrupt
        return breaks(candidate)

    search = Search(rounds(), symptom_of(breaks(rounds()), ["exit"]), until_stopped, lambda _: None)
    with pytest.raises(KeyboardInterrupt):
        search.all_levels()
    assert len(search.best.exchanges) < 4
    assert breaks(search.best).exit_code == 3


def shows(keeps: list[str], whole_run: Trial, run: Trial) -> bool:
    return symptom_of(whole_run, keeps).shows_in(run)


@pytest.mark.parametrize(
    ("keeps", "run", "is_same"),
    [
        (["exit"], trial(1, "other words"), True),
        (["exit"], trial(0, "no room"), False),
        (["exit"], trial(None, "no room"), False),
        (["room"], trial(0, "there is no room"), True),
        (["room"], trial(1, "other words"), False),
        (["room", "exit"], trial(0, "no room"), False),
        (["room", "no"], trial(1, "room"), False),
    ],
)
def test_what_is_to_be_kept_says_what_is_the_same(
    keeps: list[str], run: Trial, is_same: bool
) -> None:
    """How it ends, what it prints, or both."""
    assert shows(keeps, trial(1, "no room"), run) is is_same


def test_a_client_that_never_ends_is_a_symptom() -> None:
    """It is not the same as any exit code."""
    assert shows(["exit"], trial(None), trial(None))
    assert not shows(["exit"], trial(None), trial(0))


def test_our_own_refusal_is_no_symptom() -> None:
    """A client that asks for what was left out is told so by us, and fails: that is not it."""
    assert not shows(["exit"], trial(1), trial(1, unexpected=1))
    assert shows(["exit"], trial(1, unexpected=1), trial(1, unexpected=1))


def test_a_text_that_is_not_printed_is_refused() -> None:
    """Before anything is searched."""
    with pytest.raises(UsageError) as refused:
        symptom_of(trial(2, "other words"), ["no room"])
    assert str(refused.value) == (
        "the client does not print 'no room' on the whole recording (it ended with 2): "
        "say --keep with a text that it prints, or --keep exit."
    )
