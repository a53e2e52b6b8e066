"""What a message on a socket means, held against a recording that says everything."""

import json
from typing import Any

from codex_tapes import CALL, HELLO, OUTPUT

from replayer.socket_talk import SocketTalk
from wiretape.asked import Asked, asked_by_message


def asked(kind: str = "response.create", **members: Any) -> Asked:
    """A message of the client."""
    return asked_by_message((), json.dumps({"type": kind, **members}).encode())


FIRST = asked(model="m", input=[HELLO])
WHOLE = asked(model="m", input=[HELLO, CALL, OUTPUT])


def meant(second: Asked, recorded: Asked = WHOLE, first: Asked = FIRST) -> Any:
    """What the second message means, after the first was found in the recording."""
    talk = SocketTalk()
    talk.heard(first, first)
    return talk.meant(second, recorded).body


def test_what_goes_on_from_a_response_means_all_of_it() -> None:
    """Of the answer, what the recording says that it repeats."""
    second = asked(model="m", previous_response_id="r", input=[OUTPUT])
    assert meant(second) == WHOLE.body


def test_what_is_appended_means_all_of_it() -> None:
    """Whether or not it repeats the answer itself; the rest was said before."""
    assert meant(asked("response.append", input=[OUTPUT])) == WHOLE.body
    assert meant(asked("response.append", input=[CALL, OUTPUT])) == WHOLE.body


def test_what_differs_still_differs() -> None:
    """Only what was left out is put back."""
    other = {**OUTPUT, "output": "something else"}
    second = asked(model="n", previous_response_id="r", input=[other])
    assert meant(second) == {**WHOLE.body, "model": "n", "input": [HELLO, CALL, other]}


def test_a_warm_up_was_said_too() -> None:
    """But that nothing is to be generated, only of itself."""
    warm_up = asked(model="m", generate=False, input=[HELLO])
    second = asked(model="m", previous_response_id="w", input=[])
    assert meant(second, FIRST, warm_up) == FIRST.body


def test_two_that_leave_out_are_compared_as_they_stand() -> None:
    """So are two that say everything."""
    second = asked(model="m", previous_response_id="r", input=[OUTPUT])
    assert meant(second, second) == second.body
    assert meant(WHOLE, WHOLE) == WHOLE.body
