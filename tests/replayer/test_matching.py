"""Which recorded request a request repeats: session first, then content, then order."""

from typing import Any

from tapes import create

from replayer.matching import Candidate, Match, Sessions, best_match, nearest
from wiretape.asked import Asked, RequestKind

A = "11111111-1111-4111-8111-111111111111"
B = "22222222-2222-4222-8222-222222222222"
X = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"


def asked(*texts: str, session: str | None = "one", **members: Any) -> Asked:
    return Asked(RequestKind.CREATE, session, (), create(*texts, **members), b"")


def recorded(name: str, *texts: str, session: str | None = "one", **members: Any) -> Candidate[str]:
    """A recorded request that is known by its name in the test."""
    return Candidate(name, session, lambda: asked(*texts, session=session, **members))


def matched(
    request: Asked, *candidates: Candidate[str], sessions: Sessions | None = None
) -> tuple[str, list[str]] | None:
    """The name of the match and the paths of its differences."""
    return told(best_match(request, candidates, sessions or Sessions()))


def told(match: Match[str] | None) -> tuple[str, list[str]] | None:
    if match is None:
        return None
    return match.recorded, [difference.path for difference in match.differences]


def test_among_equals_the_earliest_wins() -> None:
    """A request that was tried three times meets the first try first."""
    tries = [recorded(name, "hi") for name in ("first", "second", "third")]
    assert matched(asked("hi"), *tries) == ("first", [])


def test_the_same_wins_over_an_earlier_one_that_is_not() -> None:
    """Content decides before order."""
    assert matched(asked("b"), recorded("a", "a"), recorded("b", "b")) == ("b", [])


def test_where_none_is_the_same_the_most_alike_wins() -> None:
    """One difference is nearer than two."""
    far = recorded("far", "other", model="another")
    near = recorded("near", "other")
    assert matched(asked("hi"), far, near) == ("near", ["input[0].content[0].text"])


def test_among_equally_alike_the_earliest_wins() -> None:
    """Order decides where content does not."""
    assert matched(asked("c"), recorded("a", "a"), recorded("b", "b")) == (
        "a",
        ["input[0].content[0].text"],
    )


def test_nothing_matches_nothing() -> None:
    """Without a recorded request there is no match."""
    assert matched(asked("hi")) is None


def test_a_session_stands_for_one_session() -> None:
    """What another session asked is no match, be it the same."""
    sessions = Sessions()
    first = recorded("first", "hi", session="one")
    second = recorded("second", "hi", session="two")
    assert matched(asked("hi", session="x"), first, second, sessions=sessions) == ("first", [])
    assert matched(asked("hi", session="x"), second, sessions=sessions) is None
    assert matched(asked("hi", session="y"), second, sessions=sessions) == ("second", [])
    assert matched(asked("hi", session="z"), first, second, sessions=sessions) is None


def test_sessions_are_bound_by_content_not_by_order() -> None:
    """The second session may well begin first."""
    sessions = Sessions()
    first = recorded("first", "hello", session="one")
    second = recorded("second", "goodbye", session="two")
    assert matched(asked("goodbye", session="x"), first, second, sessions=sessions) == (
        "second",
        [],
    )
    assert matched(asked("hello", session="y"), first, sessions=sessions) == ("first", [])


def test_a_session_of_the_same_name_is_meant() -> None:
    """A client that gives its sessions names of its own has the same ones in the replay."""
    first = recorded("first", "hi", session="one")
    second = recorded("second", "hi", session="two")
    assert matched(asked("hi", session="two"), first, second) == ("second", [])


def test_a_client_without_sessions_matches_without_them() -> None:
    """No session is as good as one that has no other name."""
    sessions = Sessions()
    first, second = (recorded(name, "hi", session=None) for name in ("first", "second"))
    assert matched(asked("hi", session=None), first, sessions=sessions) == ("first", [])
    assert matched(asked("hi", session=None), second, sessions=sessions) == ("second", [])


def test_what_a_match_takes_to_correspond_holds_for_the_next() -> None:
    """Ids correspond across the requests of a replay, not only within one."""
    sessions = Sessions()
    first, second = recorded("first", call=A), recorded("second", call=A)
    assert matched(asked(call=X), first, sessions=sessions) == ("first", [])
    assert matched(asked(call=B), second, sessions=sessions) == ("second", ["call"])


def test_what_a_candidate_that_lost_would_take_does_not_hold() -> None:
    """Only the match binds ids; what was merely compared does not."""
    sessions = Sessions()
    lost, won = recorded("lost", "other", call=A), recorded("won", "hi", call=B)
    assert matched(asked("hi", call=X), lost, won, sessions=sessions) == ("won", [])
    assert sessions.ids.replayed_for == {B: X}


def test_a_copy_of_the_sessions_binds_nothing() -> None:
    """A match on a copy can be thrown away."""
    sessions = Sessions()
    assert matched(asked(call=X), recorded("first", call=A), sessions=sessions.copy())
    assert (sessions.recorded_for, sessions.ids.replayed_for) == ({}, {})


def test_only_so_many_candidates_are_compared() -> None:
    """Comparing is dear: the 33rd unused request of a session is too far ahead."""
    others = [recorded(f"other {number}", "other") for number in range(32)]
    same = recorded("same", "hi")
    assert matched(asked("hi"), *others[:31], same) == ("same", [])
    assert matched(asked("hi"), *others, same) == ("other 0", ["input[0].content[0].text"])


def test_no_more_is_read_than_has_to_be() -> None:
    """Bodies are large: what another session asked, or what comes behind the same, stays unread."""

    def unreadable() -> Asked:
        raise AssertionError("this should not be read")

    sessions = Sessions({"one": "one"})
    other = Candidate("other", "two", unreadable)
    later = Candidate("later", "one", unreadable)
    assert matched(asked("hi"), other, recorded("same", "hi"), later, sessions=sessions) == (
        "same",
        [],
    )


def test_the_nearest_is_found_in_any_session() -> None:
    """To show a miss, whose request it was does not matter, nor what ids stand for."""
    match = nearest(
        asked("hi", call=X),
        [recorded("a", "hello"), recorded("b", "hi", session="two", call=A)],
        Sessions(),
    )
    assert told(match) == ("b", [])


def test_there_may_be_no_nearest() -> None:
    """With nothing recorded there is nothing to show."""
    assert nearest(asked("hi"), [], Sessions()) is None
