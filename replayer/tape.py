"""A replay is itself a tape: what the client asked of the player, and what it was given."""

from collections.abc import Callable

from replayer.actions import Drop, Ending, Finish, Hold, Reset, SendHead
from replayer.http_request import HttpRequest, Origin
from wiretape.facts import (
    End,
    EndKind,
    Fact,
    Piece,
    PieceKind,
    RequestBody,
    RequestHead,
    ResponseHead,
    Sender,
)
from wiretape.redact import redact_headers, redact_text


class ReplayTape:
    """Turns what the server does into facts for ``put``, or does nothing where there is none."""

    def __init__(self, put: Callable[[Fact], None] | None, now_us: Callable[[], int]) -> None:
        self._put = put
        self._now_us = now_us
        self._count = 0

    def begin(self, request: HttpRequest, own: Origin) -> "ReplayExchange":
        """A request has arrived whole. ``own`` is the address that it came in on."""
        self._count += 1
        if self._put is None:
            return ReplayExchange(self._count, None, self._now_us)
        at_us = self._now_us()
        origin = request.origin or own
        self._put(
            RequestHead(
                self._count,
                at_us,
                request.connection,
                request.method,
                origin.scheme,
                origin.host,
                origin.port,
                redact_text(request.target),
                request.http_version,
                redact_headers(request.headers),
            )
        )
        self._put(RequestBody(self._count, at_us, request.body))
        return ReplayExchange(self._count, self._put, self._now_us)


class ReplayExchange:
    """One exchange of a replay."""

    def __init__(
        self, number: int, put: Callable[[Fact], None] | None, now_us: Callable[[], int]
    ) -> None:
        self._number = number
        self._put = put
        self._now_us = now_us
        self._has_ended = False

    def head(self, head: SendHead) -> None:
        """The head of the response is sent."""
        if self._put is not None:
            self._put(
                ResponseHead(
                    self._number,
                    self._now_us(),
                    head.status,
                    head.reason,
                    "HTTP/1.1",
                    redact_headers(head.headers),
                )
            )

    def piece(self, sender: Sender, kind: PieceKind, data: bytes) -> None:
        """Something crosses after the heads."""
        if self._put is not None:
            self._put(Piece(self._number, self._now_us(), sender, kind, data))

    def ended(self, ending: Ending | None) -> None:
        """It ends as the recording did, if that is for us to do.

        Noted before it is certain that the client has seen it: a client that has heard the last
        word may be gone, and the replay over, at any time.
        """
        match ending:
            case Finish():
                self.end(EndKind.COMPLETE)
            case Drop():
                self.end(EndKind.SERVER_CLOSED, Sender.SERVER)
            case Reset():
                self.end(EndKind.RESET, Sender.SERVER)
            case Hold() | None:
                pass

    def end(
        self,
        how: EndKind,
        side: Sender | None = None,
        code: int | None = None,
        reason: str | None = None,
    ) -> None:
        """How it ended; only the first word counts."""
        if not self._has_ended and self._put is not None:
            self._has_ended = True
            self._put(End(self._number, self._now_us(), how, side, code, reason))
