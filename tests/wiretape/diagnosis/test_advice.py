"""What each finding advises."""

from collections.abc import Callable

import pytest
from timed_tapes import TapeMaker, ask
from troubled_tapes import (
    S1,
    chat_cut,
    cut_on_both,
    done_only,
    hung_up_at_once,
    refused_with_a_sentence,
    silent,
    silent_with_pings,
    the_finding,
)

from wiretape.diagnosis.kinds import Kind


@pytest.mark.parametrize(
    ("fill", "kind", "begins"),
    [
        (silent, Kind.SILENCE, ["No sign of life came"]),
        (silent_with_pings, Kind.SILENCE, ["Signs of life came"]),
        (
            cut_on_both,
            Kind.CLOSED_EARLY,
            ["The code is trouble of the server's own", "A body that is cut"],
        ),
        (hung_up_at_once, Kind.CLOSED_EARLY, ["Not even a head came"]),
        (chat_cut, Kind.TERMINAL_MISSING, ["Look at the log of the server"]),
        (refused_with_a_sentence, Kind.FATAL, ["The server does not take the request as it is"]),
        (done_only, Kind.TERMINAL_MISSING, ["A gateway that translates or shortens streams"]),
    ],
)
def test_advice_is_for_what_was_seen(
    fill: Callable[[TapeMaker], None], kind: Kind, begins: list[str], maker: TapeMaker
) -> None:
    """By transport, close code and error; each piece once, and none for anything else."""
    fill(maker)
    advice = the_finding(maker, kind).advice
    told = [advice.index(begin) for begin in begins]
    assert told[0] == 0
    assert told == sorted(told)
    others = [
        "No sign of life",
        "Signs of life",
        "The code is",
        "A body that is cut",
        "Not even a head",
        "No close code",
    ]
    expected = [each for each in others if any(begin.startswith(each) for begin in begins)]
    assert [each for each in others if each in advice] == expected


def test_advice_is_for_the_status(maker: TapeMaker) -> None:
    """A wrong key is nothing about a gateway."""
    maker.post(0, ask("hi"), S1).refuse(5, 401, {"error": {"message": "no such key"}})
    advice = the_finding(maker, Kind.HTTP_ERROR).advice
    assert (
        advice
        == "It is about the key or the login: see which one the client sends, and what it may do."
    )
