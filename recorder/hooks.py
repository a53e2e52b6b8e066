"""Translates mitmproxy's hooks into captured facts, with explicit times.

Everything here runs in the path of the agent's traffic. Bodies stream through untouched, upgraded
connections are relayed byte for byte, and a failure of ours becomes a gap on the tape.
"""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from mitmproxy import ctx, http, tcp, tls
from mitmproxy.connection import Client
from mitmproxy.proxy.layer import NextLayer
from mitmproxy.proxy.layers import TCPLayer
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from recorder.capture import Capture, OpenExchange
from recorder.closings import Closings
from recorder.routing import SERVER_SPEAKS_FIRST, Routing
from wiretape.facts import EndKind, Headers, Sender

logger = logging.getLogger("wiretape")

_EXCHANGE = "wiretape"
"""The key of a flow's metadata that holds its open exchange."""


def _never_harms(hook: Callable[..., None]) -> Callable[..., None]:
    """A hook whose failure is a gap on the tape, not an end of the traffic."""

    @wraps(hook)
    def guarded(addon: "RecorderAddon", subject: Any) -> None:
        try:
            hook(addon, subject)
        except Exception as error:
            addon.failed(hook.__name__, subject, error)

    return guarded


class RecorderAddon:
    """Captures the flows that ``routing`` puts in scope.

    ``now_us`` is the tape's clock. ``on_distrust`` is told the name of a host for which the
    client did not accept our certificate.
    """

    def __init__(
        self,
        capture: Capture,
        routing: Routing,
        now_us: Callable[[], int],
        on_distrust: Callable[[str], None],
    ) -> None:
        self._capture = capture
        self._routing = routing
        self._now_us = now_us
        self._on_distrust = on_distrust
        self._closings = Closings(now_us)
        self._upgraded: dict[str, OpenExchange] = {}

    def running(self) -> None:
        # Upgraded connections become plain TCP flows, which mitmproxy relays unchanged. Its own
        # WebSocket layer would rewrite frames and turn a dropped connection into a clean close.
        ctx.options.update(websocket=False, rawtcp=True)

    def done(self) -> None:
        self._capture.finish(self._now_us())

    @_never_harms
    def client_connected(self, client: Client) -> None:
        self._closings.watch(client, client)

    @_never_harms
    def server_connected(self, data: ServerConnectionHookData) -> None:
        self._closings.watch(data.client, data.server)

    @_never_harms
    def client_disconnected(self, client: Client) -> None:
        self._closings.forget(client)
        self._capture.connection_closed(client.id)
        if exchange := self._upgraded.pop(client.id, None):
            exchange.end(self._now_us(), EndKind.CLIENT_CLOSED, Sender.CLIENT)

    @_never_harms
    def server_disconnected(self, data: ServerConnectionHookData) -> None:
        self._closings.forget(data.server)

    @_never_harms
    def tls_clienthello(self, data: tls.ClientHelloData) -> None:
        address = data.context.server.address
        host = data.client_hello.sni or (address[0] if address else "")
        if not self._routing.opens(host):
            data.ignore_connection = True

    @_never_harms
    def next_layer(self, layer: NextLayer) -> None:
        address = layer.context.server.address
        if address and address[1] in SERVER_SPEAKS_FIRST:
            # Nothing would ever come from the client to tell the protocol by.
            layer.layer = TCPLayer(layer.context, ignore=True)

    @_never_harms
    def tls_failed_client(self, data: tls.TlsData) -> None:
        address = data.context.server.address
        self._on_distrust(data.conn.sni or (address[0] if address else "an unknown host"))

    @_never_harms
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        request = flow.request
        # Whatever is not ours to record must not wait in memory either.
        request.stream = True
        if not self._routing.records(request.method, request.path, is_upgrade=_is_upgrade(flow)):
            return
        upstream = self._routing.upstream
        exchange = self._capture.begin(
            self._now_us(),
            connection=flow.client_conn.id,
            method=request.method,
            scheme=request.scheme,
            host=request.host,
            port=request.port,
            target=request.path,
            http_version=request.http_version,
            headers=_headers(request.headers),
            upstream=None if upstream is None else str(upstream),
        )
        flow.metadata[_EXCHANGE] = exchange
        if upstream is not None:
            request.scheme, request.host, request.port = upstream
        request.stream = self._tee(exchange, exchange.request_data)

    @_never_harms
    def request(self, flow: http.HTTPFlow) -> None:
        if exchange := _exchange(flow):
            exchange.request_end(self._now_us())

    @_never_harms
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        response = flow.response
        assert response is not None
        if response.status_code != 101:
            response.stream = True
        if exchange := _exchange(flow):
            exchange.response_head(
                self._now_us(),
                response.status_code,
                response.reason,
                response.http_version,
                _headers(response.headers),
            )
            if response.status_code != 101:
                response.stream = self._tee(
                    exchange, lambda data: exchange.chunk(self._now_us(), data)
                )

    @_never_harms
    def response(self, flow: http.HTTPFlow) -> None:
        exchange = _exchange(flow)
        if exchange is None:
            return
        assert flow.response is not None
        if flow.response.status_code == 101:
            self._upgraded[flow.client_conn.id] = exchange
        else:
            exchange.end(self._now_us(), EndKind.COMPLETE)

    @_never_harms
    def error(self, flow: http.HTTPFlow) -> None:
        assert flow.error is not None
        if exchange := _exchange(flow):
            how, side = self._how_it_ended(flow)
            exchange.end(self._now_us(), how, side, flow.error.msg)
        if flow.response is None and flow.killable:
            # mitmproxy would answer in the server's name (502); without us the client would see
            # its connection fail, so that is what it sees.
            flow.kill()

    @_never_harms
    def tcp_message(self, flow: tcp.TCPFlow) -> None:
        message = flow.messages[-1]
        # mitmproxy keeps every message for ever; a socket may live for hours.
        flow.messages.clear()
        if exchange := self._upgraded.get(flow.client_conn.id):
            sender = Sender.CLIENT if message.from_client else Sender.SERVER
            exchange.socket_bytes(self._now_us(), sender, message.content)

    @_never_harms
    def tcp_end(self, flow: tcp.TCPFlow) -> None:
        self._end_socket(flow, None)

    @_never_harms
    def tcp_error(self, flow: tcp.TCPFlow) -> None:
        self._end_socket(flow, flow.error.msg if flow.error else None)

    def failed(self, hook: str, subject: Any, error: Exception) -> None:
        """A hook of ours failed: says so, and leaves a gap where the flow is known."""
        logger.error("the recorder failed in %s: %r", hook, error)
        exchange = getattr(subject, "metadata", {}).get(_EXCHANGE)
        if isinstance(exchange, OpenExchange):
            exchange.lost(self._now_us(), 0, f"the recorder failed in {hook}: {error!r}")

    def _tee(
        self, exchange: OpenExchange, keep: Callable[[bytes], None]
    ) -> Callable[[bytes], bytes]:
        def through(data: bytes) -> bytes:
            if data:
                try:
                    keep(data)
                except Exception as error:
                    # An exception here would drop the bytes from the client's stream.
                    exchange.lost(self._now_us(), len(data), f"the recorder failed: {error!r}")
            return data

        return through

    def _end_socket(self, flow: tcp.TCPFlow, detail: str | None) -> None:
        if exchange := self._upgraded.pop(flow.client_conn.id, None):
            how, side = self._first_closed(flow)
            exchange.end(self._now_us(), how or EndKind.CLIENT_CLOSED, side, detail)

    def _how_it_ended(self, flow: http.HTTPFlow) -> tuple[EndKind, Sender | None]:
        server = flow.server_conn
        how, side = self._first_closed(flow)
        if flow.response is None and how is not EndKind.CLIENT_CLOSED and side is not Sender.CLIENT:
            if server.timestamp_tcp_setup is None:
                return EndKind.REFUSED, None
            if server.tls and server.timestamp_tls_setup is None:
                return EndKind.TLS_FAILURE, Sender.SERVER
        return how or EndKind.PROTOCOL_ERROR, side

    def _first_closed(
        self, flow: http.HTTPFlow | tcp.TCPFlow
    ) -> tuple[EndKind | None, Sender | None]:
        """Which side closed first, and how; ``(None, None)`` when neither was noticed."""
        closings = [
            (closing.at_us, closing.is_reset, sender)
            for sender, connection in (
                (Sender.CLIENT, flow.client_conn),
                (Sender.SERVER, flow.server_conn),
            )
            if (closing := self._closings.of(connection)) is not None
        ]
        if not closings:
            return None, None
        _, is_reset, sender = min(closings)
        if is_reset:
            return EndKind.RESET, sender
        if sender is Sender.CLIENT:
            return EndKind.CLIENT_CLOSED, sender
        return EndKind.SERVER_CLOSED, sender


def _exchange(flow: http.HTTPFlow) -> OpenExchange | None:
    exchange = flow.metadata.get(_EXCHANGE)
    return exchange if isinstance(exchange, OpenExchange) else None


def _is_upgrade(flow: http.HTTPFlow) -> bool:
    return str(flow.request.headers.get("upgrade", "")).lower() == "websocket"


def _headers(headers: http.Headers) -> Headers:
    return tuple(
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in headers.fields
    )
