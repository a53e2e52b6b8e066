"""What a client is told when the recording has no answer for it: errors that it gives up on.

Seen with Codex 0.99.0 and 0.169.0: HTTP 400 ends the run at once, as the answer to a request and
to an upgrade; everything else is retried, even a 404. On a socket, ``response.failed`` with the
code ``invalid_prompt`` does the same.
"""

import json
from collections.abc import Sequence

from replayer.actions import Action, Finish, Hold, SendBytes, SendFrame, SendHead
from replayer.likeness import Difference
from replayer.matching import Match
from wiretape.facts import PieceKind
from wiretape.words import counted


def http_error(sentence: str, *, status: int = 400, reason: str = "Bad Request") -> list[Action]:
    """A response that says why there is no other, in the shape of the model API's errors."""
    error = {"message": sentence, "type": "invalid_request_error", "code": "wiretape"}
    body = json.dumps({"error": error}).encode()
    headers = (("content-type", "application/json"), ("content-length", str(len(body))))
    return [SendHead(0, status, reason, headers), SendBytes(0, body), Finish(0)]


def socket_error(sentence: str) -> list[Action]:
    """An event that says why there is no answer."""
    response = {
        "id": "resp_wiretape",
        "status": "failed",
        "error": {"code": "invalid_prompt", "message": sentence},
    }
    event = json.dumps({"type": "response.failed", "response": response})
    return [SendFrame(0, PieceKind.TEXT, event.encode()), Hold()]


def difference_sentence(differences: Sequence[Difference]) -> str:
    """Why a request that was found in the recording is not answered, in strict replay."""
    others = len(differences) - 1
    more = f", and {counted(others, 'more difference')}" if others else ""
    return f"wiretape: this request is not as it was recorded: {_told(differences[0])}{more}"


def unexpected_sentence[T](near: Match[T] | None) -> str:
    """Why a request is unexpected. ``near`` is the recorded request most like it."""
    if near is None:
        return "wiretape: nothing like this request was recorded"
    if near.is_exact:
        return "wiretape: this request was recorded, but has been answered already"
    return (
        "wiretape: this request was not recorded; the nearest one differs: "
        f"{_told(near.differences[0])}"
    )


def _told(difference: Difference) -> str:
    return f"{difference.path} was {difference.recorded!r} and is {difference.replayed!r}"
