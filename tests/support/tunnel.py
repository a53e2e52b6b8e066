"""A forward proxy that changes nothing: it leads some hosts to a local port, byte for byte.

With it a client runs against a scripted provider as if that were the real host, with no recorder
in between: the run that a recorded one is compared with. It also stands for a company's proxy,
which the recorder has to go through: such a one may ask for a password.
"""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread
from types import TracebackType
from typing import Self

ABSOLUTE = re.compile(r"(\S+ )https?://([^/:\s]+)[^/\s]*(\S*)(.*)", re.DOTALL)
"""The first line of a request with its whole address: method, host, path, version."""


class Tunnel(ThreadingTCPServer):
    """Leads ``hosts`` to ``port`` on loopback, by ``CONNECT`` or request by request.

    All others are refused, and so is who does not send ``authorization``, where there is one.
    ``asked`` are the first lines of what it was asked.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(
        self, port: int, hosts: tuple[str, ...], *, authorization: str | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = port
        self.hosts = hosts
        self.authorization = authorization
        self.asked: list[str] = []
        self._thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://{self.address}"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

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
    # Unbuffered: what follows the head stays where it is.
    rbufsize = 0

    def handle(self) -> None:
        first = self.rfile.readline().decode("latin-1")
        headers: dict[str, str] = {}
        while line := self.rfile.readline().decode("latin-1").strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        self.server.asked.append(first.strip())
        whole = ABSOLUTE.fullmatch(first)
        host = whole[2] if whole else first.split(" ")[1].rpartition(":")[0]
        if self.server.authorization not in (None, headers.pop("proxy-authorization", None)):
            self._refuse("407 Proxy Authentication Required")
        elif host not in self.server.hosts:
            self._refuse("502 Bad Gateway")
        else:
            with socket.create_connection(("127.0.0.1", self.server.port)) as upstream:
                if whole:
                    kept = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
                    upstream.sendall(f"{whole[1]}{whole[3]}{whole[4]}{kept}\r\n".encode("latin-1"))
                else:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
                self._relay(upstream)

    def _refuse(self, status: str) -> None:
        self.wfile.write(f"HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n".encode())

    def _relay(self, upstream: socket.socket) -> None:
        with ThreadPoolExecutor(2) as threads:
            threads.submit(_copy, self.connection, upstream)
            threads.submit(_copy, upstream, self.connection)


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
