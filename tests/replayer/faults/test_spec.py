"""Faults as they are written: what they mean, and what is said of those that mean nothing."""

import pytest

from replayer.faults.arguments import Close, Status
from replayer.faults.spec import read_fault
from wiretape.errors import UsageError
from wiretape.fault_places import Place

PLACES = {
    "2": Place(2),
    "*": Place(None),
    "2.5": Place(2, event=5),
    "2.0": Place(2, event=0),
    "12#3": Place(12, attempt=3),
    "2x3": Place(2, times=3),
    "3/2#4x5.6": Place(2, session=3, attempt=4, times=5, event=6),
    "1.response.output_text.delta": Place(1, event="response.output_text.delta"),
    "*x100.error": Place(None, times=100, event="error"),
}


@pytest.mark.parametrize("text", PLACES)
def test_a_place(text: str) -> None:
    """Session, request, attempt, how often, event; what is left out is the first, or all."""
    assert read_fault(f"{text}:cut").place == PLACES[text]


ARGUMENTS = {
    "cut": None,
    "stall": None,
    "stall=2.5": 2.5,
    "stall=300s": 300.0,
    "slow": 10.0,
    "slow=1": 1.0,
    "close=1011": Close(1011, ""),
    "close=77": Close(77, ""),
    "close=1011,busy, very": Close(1011, "busy, very"),
    "status=503": Status(503),
    "status=429,retry-after=2,x-a=b c": Status(429, (("retry-after", "2"), ("x-a", "b c"))),
    "refuse": Status(426),
    "refuse=500": Status(500),
    "unknown": "response.wiretape.unknown",
    "unknown=codex.new": "codex.new",
}


@pytest.mark.parametrize("text", ARGUMENTS)
def test_an_argument(text: str) -> None:
    """What stands behind `=` is read by what the action takes."""
    fault = read_fault(f"1:{text}")
    assert (fault.name, fault.argument) == (text.partition("=")[0], ARGUMENTS[text])


@pytest.mark.parametrize("text", ["refuse", "refuse=500", "status=503"])
def test_the_head_may_be_named_where_it_is_meant_anyway(text: str) -> None:
    """The answer to a handshake, and the whole answer, begin with it."""
    named, usual = read_fault(f"2.0:{text}"), read_fault(f"2:{text}")
    assert (named.place, usual.place) == (Place(2, event=0), Place(2))
    assert named.argument == usual.argument


MISTAKES = {
    "cut": "it is written PLACE:ACTION, like 2.5:cut",
    "2:cat": "there is no action 'cat', there are cut, reset, close,",
    "two:cut": "'two' is no place: say [SESSION/]REQUEST[#ATTEMPT][xTIMES][.EVENT]",
    ":cut": "'' is no place",
    "0:cut": "'0' counts from 1",
    "1#0:cut": "'1#0' counts from 1",
    "1x0:cut": "'1x0' counts from 1",
    "1x101:cut": "'1x101' lasts too long: 100 attempts are the most",
    "٢:cut": "'٢' is no place",
    "1:cut=5": "it takes nothing behind `=`",
    "1:stall=long": "'long' is no time: give seconds, like 2.5",
    "1:stall=-1": "'-1' is no time",
    "1:stall=nan": "'nan' is no time",
    "1:close": "'' is no close code: give a number and a reason, like 1011,busy",
    "1:close=65536": "'65536' is no close code",
    "1:close=1000,\udcff": "is no UTF-8: write the reason in that",
    "1:status=429,x=é": "'é' cannot be in a header: write it in ASCII",
    f"1:close=1000,{'x' * 124}": "a reason has 123 bytes at most",
    "1:status": "'' is no status: give 300 to 599 and headers, like 429,retry-after=2",
    "1:status=200": "'200' is no status",
    "1:status=429,retry-after": "'retry-after' is no header: give name=value",
    "1:status=429,bad name=1": "'bad name=1' is no header",
    "1:status=429,a=b\r\nc": "is no header",
    "1.2:status=500": "status is about the whole answer: leave out .2",
    "1.2:slow": "slow is about the first byte of the answer: leave out .2",
    "1.1:refuse": "refuse is about the handshake: leave out .1",
    "1.0:drop": "drop needs an event: the first one is 1",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_a_mistake_is_told(text: str) -> None:
    """What was wrong, and what would be right, in one sentence."""
    with pytest.raises(UsageError) as refused:
        read_fault(text)
    assert str(refused.value).startswith(f"the fault {text!r} makes no sense: ")
    assert MISTAKES[text] in str(refused.value)
