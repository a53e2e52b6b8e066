"""Turns of the client: what it is told, and what it prints."""

import json
from dataclasses import replace

from wiretape.client.actions import Printed, PrintedKind
from wiretape.client.config import Config, Provider
from wiretape.client.dialects import dialect_of
from wiretape.client.session import Session
from wiretape.client.turn import Output, Turn
from wiretape.client.wire import Input, Opened, Said

PROVIDER = Provider("local", "http://host/v1", request_max_retries=1, stream_max_retries=1)


def said(kind: str, **fields: object) -> Said:
    """An event on the wire."""
    return Said(json.dumps({"type": kind, **fields}))


CREATED = said("response.created", response={})
COMPLETED = said("response.completed", response={"id": "r1"})
FAILED = said("response.failed", response={"error": {"code": "server_error", "message": "boom"}})
FATAL = said("response.failed", response={"error": {"code": "insufficient_quota"}})
CALL = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
CALLED = said("response.output_item.done", item=CALL)
ANSWERED = (Opened(), COMPLETED)


def turn(
    *,
    version: tuple[int, int] = (0, 99),
    websocket: bool = False,
    provider: Provider = PROVIDER,
    session: Session | None = None,
) -> Turn:
    """A turn that has not started."""
    used = replace(provider, supports_websockets=websocket)
    config = Config(used, {"local": used}, {"responses_websockets": True})
    return Turn(config, dialect_of(version), session or Session(is_new=False))


def play(played: Turn, *happenings: Input) -> list[Output]:
    """Starts the turn and gives all that it says to these happenings."""
    outputs = played.start()
    for happening in happenings:
        outputs += played.receive(happening)
    return outputs


def reconnecting(text: str, why: str) -> Printed:
    """A retry that is told to the user."""
    return Printed(PrintedKind.ERROR, f"Reconnecting... {text}", why)
