"""Sessions of clients that name none: told by what goes on from what."""

from reconstructed import S1, answer, cut, exchanges, sessions, the_session, whys
from timed_tapes import TapeMaker, ask, call, completed, created, message, output

from wiretape.facts import PieceKind, Sender


def test_a_chain_of_responses_is_a_conversation(maker: TapeMaker) -> None:
    """By ``previous_response_id``, though two go on at once."""
    answer(maker, 0, ask("a"), (), response_id="resp_a1")
    answer(maker, 10, ask("b"), (), response_id="resp_b1")
    answer(maker, 20, ask("more", previous_response_id="resp_a1"), (), response_id="resp_a2")
    answer(maker, 30, ask("more", previous_response_id="resp_b1"), ())
    answer(maker, 40, ask("more", previous_response_id="resp_a2"), ())
    first, second = sessions(maker)
    assert (first.id, exchanges(first)) == (None, [[1], [3], [5]])
    assert (second.id, exchanges(second)) == (None, [[2], [4]])


def test_a_longer_input_goes_on_with_a_conversation(maker: TapeMaker) -> None:
    """One that begins as an earlier one does; one that only shares some of it does not."""
    answer(maker, 0, ask("rules", "a"), ())
    answer(maker, 10, ask("rules", "b"), ())
    answer(maker, 20, ask("rules", "a", message("x", "assistant"), "more"), ())
    answer(maker, 30, ask("rules", "b", message("x", "assistant"), "more"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_conversations_that_begin_alike_are_told_by_their_answers(maker: TapeMaker) -> None:
    """An input that holds an item of an answer goes on from that answer."""
    said = {"id": "msg_a"} | message("hello", "assistant")
    other = {"id": "msg_b"} | message("hello", "assistant")
    answer(maker, 0, ask("hi"), (), items=(said,))
    answer(maker, 10, ask("hi"), (), items=(other,))
    answer(maker, 20, ask("hi", said, "more"), ())
    answer(maker, 30, ask("hi", other, "more"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_an_output_belongs_to_the_conversation_that_called(maker: TapeMaker) -> None:
    """Though the client keeps no ids of items."""
    answer(maker, 0, ask("hi"), (), items=(call("c_a"),))
    answer(maker, 10, ask("hi"), (), items=(call("c_b"),))
    answer(maker, 20, ask("hi", call("c_a"), output("c_a")), ())
    answer(maker, 30, ask("hi", call("c_b"), output("c_b")), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3]], [[2], [4]]]


def test_an_equal_input_is_a_retry_or_a_new_conversation(maker: TapeMaker) -> None:
    """A retry after a failure, new after an answer."""
    cut(maker, 0, ask("hi"), ())
    answer(maker, 10, ask("hi"), ())
    answer(maker, 20, ask("hi"), ())
    first, second = sessions(maker)
    assert (whys(first), exchanges(first)) == ([["first", "retry"]], [[1, 2]])
    assert (whys(second), exchanges(second)) == ([["first"]], [[3]])


def test_an_empty_input_begins_a_conversation(maker: TapeMaker) -> None:
    """There is nothing by which it could go on with another."""
    answer(maker, 0, ask(), ())
    answer(maker, 10, ask(), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1]], [[2]]]


def test_what_goes_on_from_a_response_begins_like_nothing_else(maker: TapeMaker) -> None:
    """Its input is not whole, so a longer one that begins alike is another conversation."""
    answer(maker, 0, ask("a"), (), response_id="resp_a")
    answer(maker, 10, ask("more", previous_response_id="resp_a"), ())
    answer(maker, 20, ask("more", "b"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [2]], [[3]]]


def test_a_conversation_of_the_server_has_its_name(maker: TapeMaker) -> None:
    """``conversation``, as an id or an object."""
    answer(maker, 0, ask("hi", conversation="conv_1"), ())
    answer(maker, 10, ask("more", conversation={"id": "conv_1"}), ())
    found = the_session(maker)
    assert (found.id, exchanges(found)) == ("conv_1", [[1], [2]])


def test_an_append_stays_on_its_socket(maker: TapeMaker) -> None:
    """Without a name, the socket tells whose it is."""
    one, other = maker.socket(0), maker.socket(1)
    one.ask(10, ask("a"))
    other.ask(11, ask("b"))
    one.ask(20, ask("more"), kind="response.append")
    other.ask(21, ask("more"), kind="response.append")
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [1]], [[2], [2]]]


def test_an_unnamed_upgrade_belongs_to_the_next_unnamed_request(maker: TapeMaker) -> None:
    """Whatever named sessions do meanwhile."""
    maker.upgrade(0).refuse(1, 426)
    answer(maker, 5, ask("other"), S1)
    answer(maker, 10, ask("hi"), ())
    unnamed, named = sessions(maker)
    assert (unnamed.id, exchanges(unnamed)) == (None, [[1, 3]])
    assert (named.id, exchanges(named)) == ("s1", [[2]])


def test_unnamed_upgrades_that_nothing_followed(maker: TapeMaker) -> None:
    """They are a session of which nothing else is known."""
    maker.upgrade(0).refuse(1, 429)
    found = the_session(maker)
    assert (found.id, whys(found)) == (None, [["unknown"]])


def test_refusals_for_whoever_asks_are_no_session_of_their_own(maker: TapeMaker) -> None:
    """Scripts have them beside what was recorded."""
    answer(maker, 0, ask("hi"))
    maker.agent = None
    maker.upgrade(5).refuse(6, 426)
    assert the_session(maker).id == "s1"


def test_a_chat_goes_on_by_its_messages(maker: TapeMaker) -> None:
    """Each request repeats the one before."""
    target = "/v1/chat/completions"
    history = [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}]
    maker.post(0, {"model": "m", "messages": history}, target=target).answer(1, "[DONE]")
    history += [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "n"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    maker.post(10, {"model": "m", "messages": history}, target=target).answer(11, "[DONE]")
    found = the_session(maker)
    assert (whys(found), exchanges(found)) == ([["first"], ["tool_follow_up"]], [[1], [2]])


def test_what_says_nothing_goes_on_with_what_was_asked_last(maker: TapeMaker) -> None:
    """Nothing tells such requests apart: a tool round and a retry show by what was answered."""
    answer(maker, 0, b"", (), items=(call("c_a"),))
    cut(maker, 10, b"", ())
    answer(maker, 20, b"", ())
    answer(maker, 30, b"", ())
    found = the_session(maker)
    assert exchanges(found) == [[1], [2, 3], [4]]
    assert whys(found) == [["unknown"], ["tool_follow_up", "retry"], ["unknown"]]
    assert [each.evidence for each in found.tries] == [
        "it does not say what it asks",
        "tools were called, and it does not say what it asks, called for in exchange 1",
        "it does not say what it asks, and comes right after request 2, attempt 1, which did not "
        "succeed (the server hung up)",
        "it does not say what it asks",
    ]
    assert [turn.number for turn in found.turns] == [1, 2]


def test_messages_that_say_nothing_belong_to_one_conversation(maker: TapeMaker) -> None:
    """On whichever socket; a fallback to HTTP goes on with it, too."""
    first = maker.socket(0)
    first.ask(5, {"generate": False, "...": ""})
    first.say(6, created("resp_0"), completed("resp_0"))
    first.frame(10, PieceKind.TEXT, b"", Sender.CLIENT)
    first.close(12, 1011)
    second = maker.socket(20)
    second.ask(25, {"...": ""})
    second.close(26, 1011)
    answer(maker, 30, b"", ())
    assert whys(the_session(maker)) == [["first"], ["unknown", "retry", "fallback"]]


def test_an_input_that_leaves_out_what_stood_before_goes_on(maker: TapeMaker) -> None:
    """With what was asked last, unless an output in it tells another conversation."""
    answer(maker, 0, ask("hi"), (), items=(call("c_a"),))
    answer(maker, 10, ask("ho"), (), items=(call("c_b"),))
    answer(maker, 20, {"input": ["...", output("c_a")], "...": ""}, ())
    answer(maker, 30, {"input": ["...", message("more")], "...": ""}, ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1], [3], [4]], [[2]]]


def test_bodies_tell_clients_apart_beside_one_that_says_nothing(maker: TapeMaker) -> None:
    """A whole input that nothing before it begins like is a conversation of its own."""
    answer(maker, 0, b"", ())
    answer(maker, 10, ask("b"), ())
    answer(maker, 20, ask("c"), ())
    answer(maker, 30, ask("b", message("x", "assistant"), "more"), ())
    assert [exchanges(found) for found in sessions(maker)] == [[[1]], [[2], [4]], [[3]]]
