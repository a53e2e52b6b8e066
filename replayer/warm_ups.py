"""Warm-ups of sockets that the recorded client did not warm up.

A warm-up (``generate: false``) asks the model for nothing, and all servers say the same to it: a
response that was created and is completed, whose id the client's next request goes on from. So a
client that warms up can live through the recording of one that does not.
"""

from typing import Final

from replayer.actions import Action, Hold, SendFrame
from wiretape.facts import PieceKind
from wiretape.jsontext import encoded

WHAT: Final = "a warm-up"
NOTE: Final = (
    "a socket was warmed up that the recorded client did not warm up: that was answered as a "
    "server does, with a response in which there is nothing"
)
_ID: Final = "resp_warm_up"


def answer() -> list[Action]:
    """What a server says to a warm-up."""
    said: list[Action] = [
        SendFrame(0, PieceKind.TEXT, encoded({"type": kind, "response": {"id": _ID}}))
        for kind in ("response.created", "response.completed")
    ]
    return [*said, Hold()]
