"""The handshake of a replayed WebSocket: the recorded answer, fitted to what the client offers.

The library judges the client's handshake and negotiates; everything else of the answer, and its
order, is the recording's.
"""

from dataclasses import replace
from typing import Final

from websockets.datastructures import Headers as HandshakeHeaders
from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

from replayer.actions import SendHead
from replayer.http_request import HttpRequest
from wiretape.facts import Headers
from wiretape.frames import negotiated

_FITTED: Final = frozenset(
    {"upgrade", "connection", "sec-websocket-accept", "sec-websocket-extensions"}
)


def shake_hands(request: HttpRequest, recorded: SendHead) -> tuple[ServerProtocol, SendHead, bytes]:
    """The protocol of an accepted socket, and the head and body that answer its handshake.

    A status other than 101 means that the client's handshake makes no sense; the body says why.
    """
    # The recording may hold messages of any size.
    protocol = ServerProtocol(
        extensions=_extensions(recorded.headers), state=State.OPEN, max_size=None
    )
    response = protocol.accept(Request(request.target, HandshakeHeaders(list(request.headers))))
    headers = tuple(response.headers.raw_items())
    if response.status_code != 101:
        head = SendHead(0, response.status_code, response.reason_phrase, headers)
        return protocol, head, bytes(response.body)
    return protocol, replace(recorded, headers=_fitted(recorded.headers, headers)), b""


def _extensions(recorded: Headers) -> list[ServerPerMessageDeflateFactory]:
    """What may be agreed on with the client: what was agreed on in the recording."""
    deflate = negotiated(recorded)
    if deflate is None:
        return []
    return [
        ServerPerMessageDeflateFactory(
            server_no_context_takeover=deflate.server_no_context_takeover,
            client_no_context_takeover=deflate.client_no_context_takeover,
            # zlib has no window of 8 bits to compress with.
            server_max_window_bits=_stated(max(deflate.server_max_window_bits, 9)),
            client_max_window_bits=_stated(deflate.client_max_window_bits),
        )
    ]


def _stated(window_bits: int) -> int | None:
    """The size of a window as it must be asked for: the largest goes without saying."""
    return None if window_bits == 15 else window_bits


def _fitted(recorded: Headers, negotiated_now: Headers) -> Headers:
    """The recorded headers, with those of the handshake proper as they are this time."""
    now = {name.lower(): value for name, value in negotiated_now if name.lower() in _FITTED}
    headers = []
    for name, value in recorded:
        if name.lower() not in _FITTED:
            headers.append((name, value))
        elif name.lower() in now:
            headers.append((name, now.pop(name.lower())))
    return (*headers, *now.items())
