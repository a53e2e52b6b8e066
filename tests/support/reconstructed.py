"""Sessions that are put together from a tape, and the exchanges they are made of."""

from typing import Any

from timed_tapes import TapeMaker, completed, created, done, session

from wiretape.facts import EndKind, Headers, Sender
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session

S1, S2 = session("s1"), session("s2")


def sessions(maker: TapeMaker) -> list[Session]:
    """The sessions on the tape."""
    with maker.read() as reader:
        return sessions_of(reader)


def the_session(maker: TapeMaker) -> Session:
    """The only session on the tape."""
    (found,) = sessions(maker)
    return found


def whys(found: Session) -> list[list[str]]:
    """Why each try was made, request by request."""
    return [[str(each.why) for each in request.tries] for request in found.requests]


def exchanges(found: Session) -> list[list[int]]:
    """Which exchange carried each try, request by request."""
    return [[each.attempt.exchange for each in request.tries] for request in found.requests]


def cut(
    maker: TapeMaker, at_ms: float, body: dict[str, Any] | bytes, headers: Headers = S1
) -> None:
    """A POST whose answer breaks off two milliseconds later."""
    post = maker.post(at_ms, body, headers)
    post.head(at_ms + 1)
    post.events(at_ms + 1, created())
    post.end(at_ms + 2, EndKind.SERVER_CLOSED, Sender.SERVER)


def answer(
    maker: TapeMaker,
    at_ms: float,
    body: dict[str, Any] | bytes,
    headers: Headers = S1,
    *,
    items: tuple[dict[str, Any], ...] = (),
    response_id: str = "resp_1",
) -> None:
    """A POST that is answered with these items."""
    post = maker.post(at_ms, body, headers)
    post.answer(at_ms + 1, created(response_id), *map(done, items), completed(response_id))
