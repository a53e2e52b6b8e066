"""The proxy that is measured: ``capture_proxy.py bare|recorder TAPE``. Prints its port.

``bare`` is mitmproxy's core with nothing but streaming switched on, its own WebSocket layer
included: what anybody would have who only passes traffic on. ``recorder`` is ours.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from mitmproxy import http
from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from gateway.authority import open_authority
from gateway.clock import Clock
from recorder.capture import Capture
from recorder.hooks import RecorderAddon
from recorder.proxy import ProxySettings, running_proxy
from recorder.routing import Routing
from recorder.sockets import SocketInterpreter
from wiretape.store_writer import TapeLabel, TapeWriter


class Streaming:
    """Passes bodies on as they arrive, and says when the proxy is up."""

    def __init__(self, server: proxyserver.Proxyserver) -> None:
        self._server = server

    def running(self) -> None:
        announce(self._server.listen_addrs()[0][1])

    def responseheaders(self, flow: http.HTTPFlow) -> None:
        if flow.response and flow.response.status_code != 101:
            flow.response.stream = True


def announce(port: int) -> None:
    print(port, flush=True)


async def bare(folder: Path) -> None:
    options = Options(listen_host="127.0.0.1", listen_port=0, confdir=str(folder))
    master = Master(options)
    server = proxyserver.Proxyserver()
    master.addons.add(
        core.Core(), server, next_layer.NextLayer(), tlsconfig.TlsConfig(), Streaming(server)
    )
    await master.run()


async def recorder(folder: Path, tape: Path) -> None:
    authority = open_authority({"WIRETAPE_CA_DIR": str(folder)})
    clock = Clock()
    label = TapeLabel("record", clock.started_at_us, clock.name)
    with TapeWriter(tape, label, on_trouble=print, interpret=SocketInterpreter()) as writer:
        addon = RecorderAddon(Capture(writer.put), Routing(), clock.now_us, print)
        settings = ProxySettings("127.0.0.1", 0, authority.folder, authority.certificate)
        async with running_proxy(settings, addon, print) as url:
            announce(int(url.rpartition(":")[2]))
            await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def main() -> None:
    kind, tape = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        made = bare(Path(folder)) if kind == "bare" else recorder(Path(folder), Path(tape))
        asyncio.run(made)


if __name__ == "__main__":
    main()
