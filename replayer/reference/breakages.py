"""How the failures of httpx and websockets are called by the model of the client.

The words are the client's own (Linux); where a library has words that the client has not, they
are the library's.
"""

import os
from typing import Final

import httpx
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidMessage,
    InvalidStatus,
    ProxyError,
)

from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Input,
    Refused,
    Unanswered,
    Unreachable,
)

PROTOCOL_ERROR: Final = "WebSocket protocol error"


def upgrade_failure(error: Exception, *, was_reset: bool) -> Input:
    """What it is that an upgrade failed with this error."""
    match error:
        case InvalidStatus():
            response = error.response
            return Refused(
                response.status_code,
                tuple(response.headers.raw_items()),
                bytes(response.body or b"").decode("utf-8", "replace"),
            )
        case ProxyError() | OSError():
            return Unreachable(_system_words(error))
        case InvalidMessage() if isinstance(error.__cause__, EOFError):
            return Unanswered(Breakage.UPGRADE_RESET if was_reset else Breakage.UPGRADE_DROPPED)
        case InvalidHandshake():
            return Unanswered(f"{PROTOCOL_ERROR}: {error}")
        case _:
            raise error


def socket_end(error: ConnectionClosed, *, was_reset: bool) -> Input:
    """How a socket ended: by the server's close frame, or without one."""
    if error.rcvd is not None:
        return Closed(error.rcvd.code, error.rcvd.reason)
    if error.sent is not None and error.rcvd_then_sent is None:
        # It was the library that closed, because it could not read what came.
        return Broken(PROTOCOL_ERROR)
    return Broken(Breakage.SOCKET_RESET if was_reset else Breakage.SOCKET_DROPPED)


def post_failure(error: httpx.TransportError) -> Input:
    """What it is that a POST failed with this error, before the head of an answer."""
    match error:
        case httpx.ConnectError() | httpx.ProxyError():
            return Unreachable(_system_words(error))
        case _:
            return Unanswered(str(error))


def _system_words(error: Exception) -> str:
    """``Connection refused (os error 111)``, as far as the error says."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.errno is not None:
            # Where addresses are looked up, errors have numbers and words of their own.
            said = os.strerror(cause.errno) if cause.errno > 0 else cause.strerror
            return f"{said} (os error {cause.errno})"
        cause = cause.__cause__ or cause.__context__
    return str(error)
