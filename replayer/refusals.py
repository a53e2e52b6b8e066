"""What a client is told when the recording has no answer for it: errors that it gives up on.

Seen with Codex 0.99.0 and 0.169.0: HTTP 400 ends the run at once, as the answer to a request and
to an upgrade; everything else is retried, even a 404. On a socket, ``response.failed`` with the
code ``invalid_prompt`` does the same.
"""

import json
from typing import Final, Protocol

from replayer.actions import Action, Finish, Hold, SendBytes, SendFrame, SendHead
from replayer.matching import Match
from wiretape.facts import PieceKind
from wiretape.quoting import first_told
from wiretape.words import place_told

NOTHING_LIKE: Final = "nothing like this request was recorded"
"""Why a request is unexpected that is like none of the recording."""


class Placed(Protocol):
    """A recorded request, as far as a sentence needs it."""

    @property
    def place(self) -> tuple[int, int | None]:
        """Exchange and message by which a report names it."""


def http_error(sentence: str, *, status: int = 400, reason: str = "Bad Request") -> list[Action]:
    """A response that says why there is no other, in the shape of the model API's errors."""
    error = {
        "message": f"wiretape: {sentence}",
        "type": "invalid_request_error",
        "code": "wiretape",
    }
    body = json.dumps({"error": error}).encode()
    headers = (("content-type", "application/json"), ("content-length", str(len(body))))
    return [SendHead(0, status, reason, headers), SendBytes(0, body), Finish(0)]


def socket_error(sentence: str) -> list[Action]:
    """An event that says why there is no answer."""
    response = {
        "id": "resp_wiretape",
        "status": "failed",
        "error": {"code": "invalid_prompt", "message": f"wiretape: {sentence}"},
    }
    event = json.dumps({"type": "response.failed", "response": response})
    return [SendFrame(0, PieceKind.TEXT, event.encode()), Hold()]


def difference_sentence[T: Placed](match: Match[T]) -> str:
    """Why a request that was found in the recording is not answered, in strict replay."""
    return (
        f"this request is not as it was recorded ({place_told(*match.recorded.place)}): "
        f"{first_told(match.differences)}"
    )


def unexpected_sentence[T: Placed](near: Match[T], *, is_unused: bool = False) -> str:
    """Why a request is unexpected. ``near`` is the recorded request most like it, and
    ``is_unused`` whether that has answered nothing yet."""
    place = place_told(*near.recorded.place)
    if not near.is_exact:
        return (
            f"this request was not recorded; the nearest one ({place}) differs: "
            f"{first_told(near.differences)}"
        )
    if is_unused:
        return (
            f"this request was recorded ({place}), but its session is given to another one "
            "of the client's"
        )
    return (
        f"the recording has no further answer to this request: what it has ({place}) was given "
        "already, so start the replay again to have it again"
    )
