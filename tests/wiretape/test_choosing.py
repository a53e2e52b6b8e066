"""Which sessions of a tape are meant by a name."""

import pytest

from wiretape.choosing import chosen_sessions, only_sessions
from wiretape.errors import NoSuchSession
from wiretape.scripts.reading import read_script
from wiretape.sessions import Session

TAPE = "bug.db"


def sessions(*ids: str | None) -> list[Session]:
    """Sessions with these ids, numbered from 1."""
    return [Session(each, None, number=number) for number, each in enumerate(ids, start=1)]


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ((), [1, 2, 3, 4, 5]),
        (("019a-one",), [1]),
        (("019b",), [2]),
        (("019",), [1, 2]),
        (("019b", "019a"), [1, 2]),
        (("unnamed",), [3, 5]),
        (("unnamed-5",), [5]),
        (("same",), [4]),
    ],
)
def test_a_session_is_chosen_by_a_start_of_its_name(
    wanted: tuple[str, ...], numbers: list[int]
) -> None:
    """A session without an id is called by its number; the order is the tape's."""
    there = sessions("019a-one", "019b-two", None, "same", None)
    assert [each.number for each in chosen_sessions(there, wanted, TAPE)] == numbers


def test_a_whole_name_means_that_session_alone() -> None:
    """Else there would be no way to choose it."""
    there = sessions("same-and-more", "same")
    assert [each.number for each in chosen_sessions(there, ["same"], TAPE)] == [2]


@pytest.mark.parametrize("name", ["nobody", "", "unnamed"])
def test_a_session_that_is_not_there_is_refused(name: str) -> None:
    """With a hint at the command that lists them."""
    said = f"bug.db has no session '{name}': `wiretape ls bug.db` lists its sessions."
    with pytest.raises(NoSuchSession) as refused:
        chosen_sessions(sessions("019a"), ["019a", name], TAPE)
    assert str(refused.value) == said


def test_a_socket_on_which_nothing_was_asked_is_whose_it_says() -> None:
    """The client will open it again."""
    sockets = [
        f"- request: websocket /v1/responses\n  headers: {{upgrade: websocket, session-id: {each}}}"
        for each in ("one", "two")
    ]
    recording = read_script("\n".join(["wiretape_script: 1", "exchanges:", *sockets]))
    kept = only_sessions([Session("two", None)])(recording)
    assert [each.id for each in kept.exchanges] == [2]
