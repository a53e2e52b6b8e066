"""Translates mitmproxy's hooks into captured facts, with explicit times.

Everything here runs in the path of the agent's traffic. Bodies stream through untouched, upgraded
connections are relayed byte for byte, and a failure of ours becomes a gap on the tape.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from mitmproxy import ctx, http, tcp, tls
from mitmproxy.connection import Client
from mitmproxy.net.http.http1 import expected_http_body_size
from mitmproxy.proxy.server_hooks import ServerConnectionHookData

from recorder.capture import Capture, OpenExchange
from recorder.closings import Closings
from recorder.endings import Trouble, ending_of, in_short, told
from recorder.framing import frame_bodies
from recorder.guarding import failure, never_harms, tee
from recorder.routing import Routing
from recorder.tunnels import lead_past
from recorder.unreached import read_on
from recorder.writes import join_writes
from wiretape.facts import EndKind, Headers, Sender

logger = logging.getLogger("wiretape")

_EXCHANGE: Final = "wiretape exchange"
"""The key of a flow's metadata that holds its open exchange."""

_OPTIONS: Final = {
    # Upgraded connections become plain TCP flows, which mitmproxy relays unchanged. Its own
    # WebSocket layer would rewrite frames and turn a dropped connection into a clean close.
    "websocket": False,
    "rawtcp": True,
    # The upstream is reached for a request, so that its failure belongs to that request.
    "connection_strategy": "lazy",
    # What either side sends is the other's to judge.
    "validate_inbound_headers": False,
    # A socket may rest for as long as its client likes: an hour between two turns is nothing.
    "tcp_timeout": 10 * 365 * 24 * 3600,
}


class RecorderAddon:
    """Captures the flows that ``routing`` puts in scope.

    ``now_us`` is the tape's clock. ``tell`` gets a sentence when a side does not trust the other
    one's certificate.
    """

    def __init__(
        self,
        capture: Capture,
        routing: Routing,
        now_us: Callable[[], int],
        tell: Callable[[str], None],
    ) -> None:
        self._capture = capture
        self._routing = routing
        self._now_us = now_us
        self._tell = tell
        self._told: set[str] = set()
        self._closings = Closings()
        self._restores: tuple[Callable[[], None], ...] = ()
        self._upgraded: dict[str, OpenExchange] = {}
        self._tunnels: dict[str, http.Request] = {}
        self._tls_failures: dict[str, str | None] = {}
        self._unopened: dict[str, None] = {}

    @property
    def unopened(self) -> tuple[str, ...]:
        """The hosts whose TLS passed untouched, each once, in the order of their coming."""
        return tuple(self._unopened)

    def running(self) -> None:
        # A plain mitmproxy tells it once or twice, depending on when it loads us.
        if self._restores:
            return
        ctx.options.update(**_OPTIONS)
        self._restores = (
            self._closings.listen(),
            lead_past(),
            read_on(),
            join_writes(),
            frame_bodies(),
        )

    def done(self) -> None:
        self._capture.finish(self._now_us())
        restores, self._restores = self._restores, ()
        for restore in restores:
            restore()

    @never_harms
    def client_connected(self, client: Client) -> None:
        self._closings.watch(client, client)

    @never_harms
    def server_connected(self, data: ServerConnectionHookData) -> None:
        self._closings.watch(data.client, data.server)

    @never_harms
    def client_disconnected(self, client: Client) -> None:
        self._upgraded.pop(client.id, None)
        self._tunnels.pop(client.id, None)
        self._tls_failures.pop(client.id, None)
        is_reset = self._closings.was_reset(client)
        how = EndKind.RESET if is_reset else EndKind.CLIENT_CLOSED
        self._capture.connection_closed(self._now_us(), client.id, how)

    @never_harms
    def http_connect(self, flow: http.HTTPFlow) -> None:
        self._tunnels[flow.client_conn.id] = flow.request

    @never_harms
    def tls_clienthello(self, data: tls.ClientHelloData) -> None:
        host = data.client_hello.sni or _host(data)
        if not self._routing.opens(host):
            data.ignore_connection = True
            self._unopened[host] = None

    @never_harms
    def tls_failed_client(self, data: tls.TlsData) -> None:
        host, error = data.conn.sni or _host(data), data.conn.error or "no reason given"
        self._tell_once(
            f"TLS with the client failed for {host} ({error}): if it does not trust our "
            "certificate, give it the CA file that SSL_CERT_FILE names."
        )
        tunnel = self._tunnels.get(data.context.client.id)
        if tunnel is not None:
            # There was no request, so what stands for it is the one for the tunnel.
            exchange = self._begin(data.context.client, tunnel, "https")
            exchange.end(self._now_us(), EndKind.TLS_FAILURE, Sender.CLIENT, error)

    @never_harms
    def tls_failed_server(self, data: tls.TlsData) -> None:
        self._tls_failures[data.context.client.id] = data.conn.error
        self._tell_once(
            f"TLS with {data.conn.sni or _host(data)} failed ({data.conn.error}): the client "
            "sees its connection closed. If only a certificate of your own is missing, name its "
            "authority in SSL_CERT_FILE."
        )

    @never_harms
    def requestheaders(self, flow: http.HTTPFlow) -> None:
        request = flow.request
        # Whatever is not ours to record must not wait in memory either.
        request.stream = True
        is_upgrade = str(request.headers.get("upgrade", "")).lower() == "websocket"
        if not self._routing.records(
            _text(request.data.method), _text(request.data.path), is_upgrade=is_upgrade
        ):
            return
        upstream = self._routing.upstream
        exchange = self._begin(flow.client_conn, request, request.scheme)
        flow.metadata[_EXCHANGE] = exchange
        if upstream is not None:
            request.scheme, request.host, request.port = upstream
        request.stream = tee(exchange, exchange.request_data, self._now_us)

    @never_harms
    def request(self, flow: http.HTTPFlow) -> None:
        if exchange := _exchange(flow):
            exchange.request_end(self._now_us())

    @never_harms
    def responseheaders(self, flow: http.HTTPFlow) -> None:
        response = flow.response
        assert response is not None
        is_upgraded = response.status_code == 101
        if not is_upgraded:
            response.stream = True
        if exchange := _exchange(flow):
            exchange.response_head(
                self._now_us(),
                response.status_code,
                _text(response.data.reason),
                response.http_version,
                _headers(response.headers),
            )
            if not is_upgraded:
                response.stream = tee(exchange, exchange.chunk, self._now_us)

    @never_harms
    def response(self, flow: http.HTTPFlow) -> None:
        assert flow.response is not None
        exchange = _exchange(flow)
        if self._is_cut_short(flow):
            self._pass_reset_on(flow)
            if exchange:
                exchange.end(self._now_us(), EndKind.RESET, Sender.SERVER)
        elif exchange and flow.response.status_code == 101:
            self._upgraded[flow.client_conn.id] = exchange
        elif exchange:
            exchange.response_end(self._now_us())

    @never_harms
    def error(self, flow: http.HTTPFlow) -> None:
        assert flow.error is not None
        trouble = self._trouble(flow, flow.error.msg)
        how, side = ending_of(trouble)
        if exchange := _exchange(flow):
            exchange.end(self._now_us(), how, side, told(trouble.words))
            if how is EndKind.REFUSED:
                self._tell_once(
                    f"{flow.request.host}:{flow.request.port} could not be reached "
                    f"({in_short(trouble.words)}): the client sees its connection closed."
                )
        if (how, side) == (EndKind.RESET, Sender.SERVER):
            self._pass_reset_on(flow)
        if flow.response is None and flow.killable:
            # mitmproxy would answer in the server's name (502); without us the client would see
            # its connection fail, so that is what it sees.
            flow.kill()

    @never_harms
    def tcp_message(self, flow: tcp.TCPFlow) -> None:
        message = flow.messages[-1]
        # mitmproxy keeps every message for ever; a socket may live for hours.
        flow.messages.clear()
        if exchange := self._upgraded.get(flow.client_conn.id):
            sender = Sender.CLIENT if message.from_client else Sender.SERVER
            tee(exchange, partial(exchange.socket_bytes, sender), self._now_us)(message.content)

    @never_harms
    def tcp_end(self, flow: tcp.TCPFlow) -> None:
        if exchange := self._upgraded.pop(flow.client_conn.id, None):
            how, side = ending_of(self._trouble(flow, "disconnected"))
            exchange.end(self._now_us(), how, side)

    def failed(self, hook: str, subject: Any, error: Exception) -> None:
        """A hook of ours failed: says so, and leaves a gap where the flow is known."""
        logger.error("the recorder failed in %s: %r", hook, error)
        if exchange := _exchange(subject):
            exchange.lost(self._now_us(), 0, failure(error))

    def _begin(self, client: Client, request: http.Request, scheme: str) -> OpenExchange:
        upstream = self._routing.upstream
        return self._capture.begin(
            self._now_us(),
            connection=client.id,
            method=_text(request.data.method),
            scheme=scheme,
            host=request.host,
            port=request.port,
            target=_text(request.data.path or request.data.authority),
            http_version=request.http_version,
            headers=_headers(request.headers),
            upstream=None if upstream is None else str(upstream),
        )

    def _trouble(self, flow: http.HTTPFlow | tcp.TCPFlow, words: str) -> Trouble:
        side = self._closings.side(flow)
        connection = flow.client_conn if side is Sender.CLIENT else flow.server_conn
        is_upstreams = side is Sender.SERVER
        return Trouble(
            side,
            words,
            is_reset=self._closings.was_reset(connection),
            is_unreached=is_upstreams and flow.server_conn.timestamp_tcp_setup is None,
            is_tls=is_upstreams and self._tls_failures.get(flow.client_conn.id) == words,
        )

    def _is_cut_short(self, flow: http.HTTPFlow) -> bool:
        """Whether a body that lasts until the connection ends was ended by a reset."""
        assert flow.response is not None
        return (
            self._closings.was_reset(flow.server_conn)
            and not flow.response.is_http2
            and expected_http_body_size(flow.request, flow.response) == -1
        )

    def _pass_reset_on(self, flow: http.HTTPFlow) -> None:
        # Over HTTP/2 one exchange is only a stream of the connection, and has its own reset.
        if not flow.request.is_http2:
            self._closings.pass_on(flow.client_conn, flow.client_conn)

    def _tell_once(self, sentence: str) -> None:
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)


def _exchange(flow: Any) -> OpenExchange | None:
    exchange = getattr(flow, "metadata", {}).get(_EXCHANGE)
    return exchange if isinstance(exchange, OpenExchange) else None


def _host(data: tls.ClientHelloData | tls.TlsData) -> str:
    address = data.context.server.address
    return address[0] if address else ""


def _text(data: bytes) -> str:
    return data.decode("latin-1")


def _headers(headers: http.Headers) -> Headers:
    return tuple((_text(name), _text(value)) for name, value in headers.fields)
