"""What the next request, and the next try at one, repeat of answers whole and broken."""

import pytest

from wiretape.client.dialects import dialect_of
from wiretape.client.history import History

HELLO = {"type": "message", "role": "user", "content": "hello"}
SAID = {"type": "message", "role": "assistant", "content": "hi"}
CALL = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "done"}


def history(version: tuple[int, int] = (0, 99)) -> History:
    """A history in which the user has just said hello."""
    made = History(dialect_of(version))
    made.begin([HELLO])
    return made


def test_the_first_try_says_what_the_turn_begins_with() -> None:
    """The first request of a turn is the conversation up to its prompt."""
    assert history().tried() == (HELLO,)


def test_the_next_request_says_the_answer_and_what_its_tools_gave() -> None:
    """Message, call and output, in the order in which they came."""
    made = history()
    made.remember([CALL, OUTPUT])
    made.go_on()
    assert made.tried() == (HELLO, CALL, OUTPUT)


@pytest.mark.parametrize("version", [(0, 99), (0, 104), (0, 110)])
def test_a_retry_of_an_earlier_client_says_what_the_first_try_said(
    version: tuple[int, int],
) -> None:
    """Up to 0.110 what a broken answer had finished is left out of the retry."""
    made = history(version)
    made.remember([CALL, OUTPUT])
    assert made.tried() == (HELLO,)


@pytest.mark.parametrize("version", [(0, 140), (0, 160), (0, 169)])
def test_a_retry_of_a_later_client_repeats_the_broken_answer(version: tuple[int, int]) -> None:
    """From 0.140 each try says all that is known by then."""
    made = history(version)
    made.remember([CALL, OUTPUT])
    assert made.tried() == (HELLO, CALL, OUTPUT)


def test_what_a_broken_answer_had_finished_is_remembered_in_every_version() -> None:
    """The request after the retry says it: broken answer first, then the whole one."""
    made = history()
    made.remember([SAID])
    made.tried()
    made.remember([CALL, OUTPUT])
    made.go_on()
    assert made.tried() == made.items == (HELLO, SAID, CALL, OUTPUT)
