"""One try at a request, as a value: what was asked, over which transport, and what came of it."""

from dataclasses import dataclass
from enum import StrEnum

from wiretape.asked import RequestKind
from wiretape.events import Usage
from wiretape.origins import Role
from wiretape.said import Outcome


class Transport(StrEnum):
    """What carried an attempt."""

    HTTP = "http"
    WEBSOCKET = "websocket"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a request.

    ``message`` counts the client's messages on the socket, from 0; ``connection`` numbers the
    client's TCP connection. ``at_us`` is when it asked, ``opened_us`` when it began to: with the
    handshake of a socket that nothing had been asked on before. ``input_items`` counts the items of
    the input, of which ``is_whole_input`` says whether they are the whole conversation.

    ``events`` counts what the server sent as events. ``first_byte_us`` is when anything of an
    answer came: its head over HTTP, a message or a ping over WebSocket. ``longest_silence_us`` is
    the longest time without an event or a byte of the body, the wait for the first one and for
    the end of an answer that never ended included; it begins ``silent_from_us``.
    ``ended_by`` is the event, or the close frame, that decided the outcome, at ``ended_at_us``;
    where there is none, the outcome is read from a status, or from how the exchange ended.
    ``error_code`` is the server's. ``detail`` says more about the outcome: of an exchange that
    ended, how; of one that did not, what became of the recording.
    """

    exchange: int
    message: int | None
    connection: int
    transport: Transport
    kind: RequestKind
    role: Role
    session: str | None
    turn_id: str | None
    model: str | None
    at_us: int
    opened_us: int
    previous_response_id: str | None
    is_whole_input: bool
    input_items: int
    answers_tools: bool
    request_bytes: int
    until_us: int | None = None
    head_at_us: int | None = None
    first_byte_us: int | None = None
    first_event_us: int | None = None
    last_event_us: int | None = None
    longest_silence_us: int = 0
    silent_from_us: int | None = None
    signs_of_life: int = 0
    events: int = 0
    response_bytes: int = 0
    status: int | None = None
    response_id: str | None = None
    usage: Usage | None = None
    outcome: Outcome = Outcome.OPEN
    ended_by: str | None = None
    ended_at_us: int | None = None
    error_code: str | None = None
    detail: str = ""

    @property
    def over_us(self) -> int | None:
        """When it was over: with the event that ended it, if one did, and not with the hang-up."""
        return self.until_us if self.ended_at_us is None else self.ended_at_us
