"""A forward proxy that changes nothing: it leads some hosts to a local port, byte for byte.

With it a client runs against a scripted provider as if that were the real host, with no recorder
in between: the run that a recorded one is compared with.
"""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from types import TracebackType
from typing import Self


class Tunnel(ThreadingTCPServer):
    """Answers ``CONNECT``: ``hosts`` are led to ``port`` on loopback, all others are refused."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, hosts: tuple[str, ...]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = port
        self.hosts = hosts
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Handler(StreamRequestHandler):
    server: Tunnel

    def handle(self) -> None:
        host = self.rfile.readline().split(b" ")[1].partition(b":")[0].decode()
        while self.rfile.readline().strip():
            pass
        if host not in self.server.hosts:
            self.wfile.write(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", self.server.port)) as upstream:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            with ThreadPoolExecutor(2) as threads:
                threads.submit(_copy, self.connection, upstream)
                threads.submit(_copy, upstream, self.connection)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
