"""What a script says of a request is all that a request is held against."""

from dataclasses import replace

import pytest
from tapes import JSON_HEADERS, create

from replayer.matching import Candidate, Sessions, best_match
from wiretape.asked import Asked, RequestKind, asked_by_message
from wiretape.facts import Headers
from wiretape.likeness import Correspondence, differences

UPGRADE: Headers = (("upgrade", "websocket"),)
REAL = Asked(RequestKind.CREATE, "one", JSON_HEADERS, create("hi"), b"{}")


def expected(headers: Headers = (), body: object = None, raw: bytes = b"") -> Asked:
    return Asked(RequestKind.CREATE, None, headers, body, raw)


@pytest.mark.parametrize(
    "recorded",
    [
        pytest.param(expected(), id="nothing"),
        pytest.param(expected(UPGRADE), id="only that it is a handshake"),
        pytest.param(expected(JSON_HEADERS), id="headers"),
        pytest.param(expected(body=create("hi"), raw=b"{ }"), id="a body"),
        pytest.param(asked_by_message((), b""), id="any message"),
    ],
)
def test_what_is_not_said_cannot_differ(recorded: Asked) -> None:
    """Headers or a body that are left out match whatever comes."""
    assert list(differences(recorded, REAL, Correspondence())) == []


def test_what_is_said_counts() -> None:
    """A header that is written out is compared, and so are the others then."""
    recorded = expected((("openai-beta", "x"),))
    found = [each.path for each in differences(recorded, REAL, Correspondence())]
    assert found == ["headers.openai-beta", "headers.content-type"]


def test_an_object_may_say_that_there_is_more() -> None:
    """What it says is compared, what stands beside it is not; also further inside."""
    recorded = expected(body={"model": "m", "...": "", "text": {"a": 1, "...": ""}}, raw=b"{}")
    replayed = replace(REAL, body={"model": "n", "input": [], "text": {"a": 1, "b": 2}})
    found = [each.path for each in differences(recorded, replayed, Correspondence())]
    assert found == ["model"]


def test_a_list_may_say_that_there_is_more() -> None:
    """What it says stands at the end of the other; places are counted there."""
    recorded = expected(body={"input": ["...", {"a": 1}, {"b": 2}]}, raw=b"{}")
    asked = [{"z": 0}, {"a": 1}, {"b": 3}]
    replayed = replace(REAL, body={"input": asked})
    found = [each.path for each in differences(recorded, replayed, Correspondence())]
    assert found == ["input[2].b"]
    short = replace(REAL, body={"input": asked[1:2]})
    assert [each.path for each in differences(recorded, short, Correspondence())] == ["input[1]"]


def test_a_request_of_no_session_is_anyones() -> None:
    """Two sessions of the client may each get some of what names none."""
    sessions = Sessions()
    recorded = [Candidate(name, None, expected) for name in ("first", "second")]
    for session, unused, name in (
        ("x", recorded, "first"),
        ("y", recorded[1:], "second"),
    ):
        asked = Asked(RequestKind.CREATE, session, (), None, b"hi")
        found = best_match(asked, unused, sessions)
        assert found is not None
        assert found.recorded == name
