"""Sets of faults: those with a name, and those in a file."""

from pathlib import Path

import pytest
from codex_tapes import BODY, HELLO, NEW_UPGRADE, answers, asks, created, post
from tapes import Recording, sse
from wholes import whole

from replayer.matrix.sets import SETS, named_set, set_of_lines, usual_place
from wiretape.errors import UsageError
from wiretape.reconstruct import sessions_of
from wiretape.store_recording import reader_of


def place(recording: Recording) -> str:
    with reader_of(whole(recording), Path("tape")) as reader:
        return usual_place(sessions_of(reader))


@pytest.mark.parametrize("name", SETS)
def test_a_named_set_is_put_at_a_request(name: str) -> None:
    """Every fault of it makes sense, and is about that attempt."""
    cases = named_set(name, "3/2#4")
    assert len(cases) == len(SETS[name])
    for case in cases:
        [fault] = case.faults
        assert (fault.place.session, fault.place.request, fault.place.attempt) == (3, 2, 4)


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("two", "--at: 'two' is no place: say "),
        ("2.3", "--at 2.3 says too much: say "),
        ("2x3", "--at 2x3 says too much: say "),
    ],
)
def test_a_place_for_a_set(at: str, why: str) -> None:
    """It is an attempt, and nothing more."""
    with pytest.raises(UsageError) as refused:
        named_set("events", at)
    assert str(refused.value).startswith(why)


def test_a_file_has_a_run_on_each_line() -> None:
    """With one fault, or several together; empty lines and comments are none."""
    cases = set_of_lines(["# mine", "", "  1:cut ", "1:cut + 2#1:close=1000,a"])
    assert [case.name for case in cases] == ["1:cut", "1:cut + 2#1:close=1000,a"]


def test_a_file_with_a_mistake() -> None:
    """The line is told."""
    with pytest.raises(UsageError, match="the fault '1:cat' makes no sense"):
        set_of_lines(["1:cut", "1:cat"])


def test_the_usual_place_was_answered() -> None:
    """Not a warm-up, nor a try that failed."""
    recording = Recording()
    recording.socket(
        asks(HELLO, generate=False), answers(), asks(HELLO), answers(), asked_with=NEW_UPGRADE
    )
    assert place(recording) == "2"
    recording = Recording()
    post(recording, (HELLO,), (created(),))
    post(recording, (HELLO,), (created(), {"type": "response.completed", "response": {"id": "r"}}))
    assert place(recording) == "1#2"


def test_the_usual_place_where_nothing_was_answered() -> None:
    """The first request of all; without any, there is nothing to let fail."""
    recording = Recording()
    recording.post(BODY, sse(created()))
    assert place(recording) == "1"
    with pytest.raises(UsageError, match="nothing was asked on this tape"):
        place(Recording())
