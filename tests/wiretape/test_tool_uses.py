"""Calls paired with what the tools gave, across requests and sessions."""

from typing import Any

from timed_tapes import (
    TapeMaker,
    ask,
    call,
    completed,
    created,
    done,
    message,
    output,
    reasoning,
    session,
)

from wiretape.facts import EndKind, Headers, Sender
from wiretape.reconstruct import sessions_of
from wiretape.spot import Spot
from wiretape.tool_uses import ToolUse

S1, S2 = session("s1"), session("s2")


def uses(maker: TapeMaker, number: int = 1) -> list[ToolUse]:
    """The tool uses of one session on the tape."""
    with maker.read() as reader:
        return sessions_of(reader)[number - 1].tools


def the_use(maker: TapeMaker) -> ToolUse:
    """The only tool use on the tape."""
    (use,) = uses(maker)
    return use


def answer(
    maker: TapeMaker,
    at_ms: float,
    body: dict[str, Any],
    *items: dict[str, Any],
    headers: Headers = S1,
) -> None:
    """A POST that is answered with these items."""
    post = maker.post(at_ms, body, headers)
    post.answer(at_ms + 1, created(), *map(done, items), completed())


def test_a_call_is_paired_with_its_output(maker: TapeMaker) -> None:
    """By call id: where each crossed, and how long it took between them."""
    answer(maker, 0, ask("hi"), reasoning(), call("c1", "exec_command"))
    answer(maker, 250, ask("hi", reasoning(), call("c1"), output("c1", "Exit code: 1\nx")))
    use = the_use(maker)
    assert use.call_id == "c1"
    assert use.call is not None
    assert use.call.name == "exec_command"
    assert [seen.spot for seen in use.calls] == [Spot(1, 2000, "response.output_item.done")]
    assert [seen.spot for seen in use.outputs] == [Spot(2, 250_000, "http.request")]
    assert (use.took_us, use.failure) == (248_000, "exit code 1")
    assert use.sent_without_call is None


def test_an_output_counts_where_it_was_first_sent(maker: TapeMaker) -> None:
    """Later inputs repeat it."""
    history = ["hi", call("c1"), output("c1")]
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask(*history), call("c2"))
    answer(maker, 20, ask(*history, call("c2"), output("c2")))
    assert [
        (use.call_id, len(use.outputs), use.outputs[0].spot.exchange) for use in uses(maker)
    ] == [
        ("c1", 1, 2),
        ("c2", 1, 3),
    ]


def test_parallel_calls_know_of_each_other(maker: TapeMaker) -> None:
    """Several in one answer, each with its own time."""
    post = maker.post(0, ask("hi"), S1)
    post.head(1)
    post.events(5, created(), done(call("c1")))
    post.events(9, done(call("c2")), completed())
    answer(maker, 30, ask("hi", call("c1"), call("c2"), output("c1"), output("c2")))
    assert [(use.took_us, use.calls[0].beside) for use in uses(maker)] == [
        (25_000, 1),
        (21_000, 1),
    ]


def test_a_call_over_websocket_is_answered_over_http(maker: TapeMaker) -> None:
    """After a fallback; on the socket the messages are counted."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("rules", generate=False))
    socket.say(2, created(), completed())
    socket.ask(3, ask("hi"))
    socket.say(4, created(), done(call("c1")), completed())
    socket.close(5, 1011)
    answer(maker, 10, ask("hi", call("c1"), output("c1")))
    use = the_use(maker)
    assert use.calls[0].spot == Spot(1, 4000, "response.output_item.done", 1)
    assert use.outputs[0].spot == Spot(2, 10_000, "http.request")


def test_an_output_in_a_message_is_told_by_the_message(maker: TapeMaker) -> None:
    """Which one it was, and what kind."""
    socket = maker.socket(0, S1)
    socket.ask(1, ask("hi"))
    socket.say(2, created(), done(call("c1")), completed())
    socket.ask(3, ask(call("c1"), output("c1")), kind="response.append")
    assert the_use(maker).outputs[0].spot == Spot(1, 3000, "response.append", 1)


def test_a_call_before_the_tape_is_known_by_name(maker: TapeMaker) -> None:
    """The input repeats it; when it was made is not known."""
    answer(maker, 0, ask("hi", call("c1", "view_image"), output("c1")))
    use = the_use(maker)
    assert use.call is not None
    assert (use.call.name, use.calls, use.took_us) == ("view_image", (), None)
    assert use.sent_without_call is None


def test_an_output_without_its_call_is_told(maker: TapeMaker) -> None:
    """Where the input is the whole conversation, and does not hold the call."""
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask("hi", output("c1")))
    use = the_use(maker)
    assert use.sent_without_call == Spot(2, 10_000, "http.request")
    assert len(use.calls) == 1


def test_an_incremental_input_needs_no_calls(maker: TapeMaker) -> None:
    """The server has them."""
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask(output("c1"), previous_response_id="resp_1"))
    assert the_use(maker).sent_without_call is None


def test_a_call_that_was_never_answered(maker: TapeMaker) -> None:
    """It has no output."""
    answer(maker, 0, ask("hi"), call("c1"))
    use = the_use(maker)
    assert (len(use.calls), use.outputs, use.took_us, use.failure) == (1, (), None, None)


def test_two_outputs_of_one_call_are_kept_apart(maker: TapeMaker) -> None:
    """As when a retry runs the tool again; the same output again is none."""
    answer(maker, 0, ask("hi"), call("c1"))
    for at_ms, text in ((10, "first"), (20, "first"), (30, "second")):
        post = maker.post(at_ms, ask("hi", call("c1"), output("c1", text)), S1)
        post.end(at_ms + 1, EndKind.RESET, Sender.SERVER)
    use = the_use(maker)
    assert [seen.spot.exchange for seen in use.outputs] == [2, 4]
    assert use.most_in_one_input == 1


def test_an_output_that_changes_in_the_history_is_the_same(maker: TapeMaker) -> None:
    """A client may shorten what it sent before; only what is new counts."""
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask("hi", call("c1"), output("c1", "a long text")), call("c2"))
    history = ["hi", call("c1"), output("c1", "a …"), call("c2"), output("c2")]
    answer(maker, 20, ask(*history))
    assert [len(use.outputs) for use in uses(maker)] == [1, 1]


def test_an_output_may_stand_right_after_its_call(maker: TapeMaker) -> None:
    """As the newer client answers calls that it never made, between the others of an answer."""
    answer(maker, 0, ask("hi"), reasoning(), call("c1"), call("c2"))
    history = [reasoning(), call("c1"), output("c1", "aborted"), call("c2"), output("c2")]
    answer(maker, 10, ask("hi", *history))
    assert [(use.call_id, use.took_us, use.failure) for use in uses(maker)] == [
        ("c1", 8000, "aborted"),
        ("c2", 8000, None),
    ]


def test_one_input_may_hold_an_output_twice(maker: TapeMaker) -> None:
    """Even the same words."""
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask("hi", call("c1"), output("c1"), output("c1")))
    use = the_use(maker)
    assert (len(use.outputs), use.most_in_one_input) == (1, 2)


def test_equal_call_ids_of_two_sessions_are_two_calls(maker: TapeMaker) -> None:
    """Each session has its own."""
    for at_ms, headers in ((0, S1), (1, S2)):
        answer(maker, at_ms, ask("hi"), call("c1"), headers=headers)
        history = ask("hi", call("c1"), output("c1"))
        answer(maker, at_ms + 10, history, headers=headers)
    for number in (1, 2):
        (use,) = uses_again(maker, number)
        assert (len(use.calls), len(use.outputs), use.took_us) == (1, 1, 8000)


def uses_again(maker: TapeMaker, number: int) -> list[ToolUse]:
    """The tool uses of one session on a tape that may be written already."""
    if not maker.path.exists():
        maker.write()
    with maker.open() as reader:
        return sessions_of(reader)[number - 1].tools


def test_a_fork_answers_what_was_called_before_it(maker: TapeMaker) -> None:
    """Call in one session, output in another: both know of the whole."""
    answer(maker, 0, ask("hi"), call("c1"), headers=S1)
    answer(maker, 10, ask("hi", call("c1"), output("c1")), headers=S2)
    for number in (1, 2):
        (use,) = uses_again(maker, number)
        assert (use.calls[0].spot.exchange, use.outputs[0].spot.exchange) == (1, 2)


def test_a_call_id_that_is_given_twice_is_called_twice(maker: TapeMaker) -> None:
    """As by a server that says the same for ever."""
    answer(maker, 0, ask("hi"), call("c1"))
    answer(maker, 10, ask("hi", call("c1"), output("c1", "a")), call("c1"))
    again = [call("c1"), output("c1", "a"), call("c1"), output("c1", "b")]
    answer(maker, 20, ask("hi", *again), message("done", "assistant"))
    use = the_use(maker)
    assert [seen.spot.exchange for seen in use.calls] == [1, 2]
    assert [seen.spot.exchange for seen in use.outputs] == [2, 3]
