"""Recordings in which the rounds went wrong: calls, their outputs, and how a request grows."""

from typing import Any

from labelled_recording import answer, cut, labelled
from timed_tapes import TapeMaker, ask, call, message, output

from wiretape.diagnosis.kinds import Kind


@labelled(Kind.OUTPUT_WITHOUT_CALL)
def _a_conversation_without_the_call(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", output("c1")))


@labelled(Kind.OUTPUT_WITHOUT_CALL, agent=None)
def _an_output_that_nobody_asked_for(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), headers=())
    answer(maker, 50, ask(output("c9"), previous_response_id="resp_1"), headers=(), name="resp_2")


@labelled(Kind.CALL_UNANSWERED)
def _a_call_that_is_left_out(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"), call("c2"))
    history = ["hi", call("c1"), call("c2"), output("c1")]
    answer(maker, 50, ask(*history))


@labelled(Kind.CALL_REPEATED, Kind.CLOSED_EARLY)
def _a_tool_that_ran_twice(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    cut(maker, 50, ask("hi", call("c1"), output("c1", "Wall time: 1 seconds")))
    answer(maker, 300, ask("hi", call("c1"), output("c1", "Wall time: 2 seconds")))


@labelled(Kind.CALL_REPEATED)
def _an_output_that_is_sent_twice(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", call("c1"), output("c1"), output("c1")))


@labelled(Kind.ONE_FOLLOW_UP)
def _a_loop_of_one_round(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 50, ask("hi", call("c1"), output("c1")), call("c2"))


@labelled(Kind.CALL_UNANSWERED)
def _a_call_and_then_nothing(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c1"))


@labelled(Kind.TOOL_LOOP)
def _a_loop_near_its_end(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), call("c0"))
    for at in range(240):
        history = ["hi", call(f"c{at}"), output(f"c{at}")]
        answer(maker, 50 + at * 20, ask(*history), *([call(f"c{at + 1}")] if at < 239 else []))


@labelled(Kind.TOOL_LOOP)
def _a_fixture_that_says_the_same_for_ever(maker: TapeMaker) -> None:
    history: list[Any] = ["hi"]
    for at in range(4):
        answer(maker, at * 50, ask(*history), call("c1"))
        history += [call("c1"), output("c1", f"run {at}")]
    answer(maker, 300, ask(*history))


@labelled(Kind.GROWTH)
def _tokens_that_leap(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"), given=12_000)
    answer(maker, 50, ask("hi", message("hello", "assistant"), "this file"), given=150_000)


@labelled(Kind.GROWTH)
def _a_request_that_leaps(maker: TapeMaker) -> None:
    answer(maker, 0, ask("hi"))
    answer(maker, 50, ask("hi", message("hello", "assistant"), "x" * 2_000_000))
