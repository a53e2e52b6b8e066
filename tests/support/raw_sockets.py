"""Servers and clients of bare bytes: what was really sent, and whether it ended by FIN or RST."""

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

TIMEOUT_S = 20.0


class RawServer:
    """Runs ``serve`` for each connection to a loopback port, in a thread each.

    ``serve`` closes the connection by returning. Leaving the context waits for all of them, and
    raises what went wrong in one.
    """

    def __init__(
        self, serve: Callable[[socket.socket], None], tls: ssl.SSLContext | None = None
    ) -> None:
        self._serve = serve
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(TIMEOUT_S)
        self._threads: list[threading.Thread] = []
        self._failures: list[BaseException] = []
        self.connections = 0
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A blocked accept() is woken by shutdown(), not by close().
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._accepting.join()
        for thread in self._threads:
            thread.join()
        if self._failures and error is None:
            raise self._failures[0]

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                self._threads.append(threading.Thread(target=self._answer, args=(connection,)))
                self._threads[-1].start()

    def _answer(self, connection: socket.socket) -> None:
        connection.settimeout(TIMEOUT_S)
        try:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
            self._serve(connection)
        except BaseException as error:
            self._failures.append(error)
        finally:
            connection.close()


def read_request(connection: socket.socket) -> bytes:
    """Reads a head, and a body of the length that it states."""
    data = b""
    while b"\r\n\r\n" not in data:
        received = connection.recv(65536)
        if not received:
            return data
        data += received
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length and (received := connection.recv(65536)):
        body += received
    return head + b"\r\n\r\n" + body


@contextmanager
def full_server() -> Iterator[int]:
    """A loopback port on which every attempt to connect waits: its queue is full."""
    with socket.socket() as listener, ExitStack() as waiting:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        while True:
            client = waiting.enter_context(socket.socket())
            client.settimeout(0.5)
            try:
                client.connect(listener.getsockname())
            except TimeoutError:
                break
        yield listener.getsockname()[1]


def reset(connection: socket.socket) -> None:
    """Ends the connection by RST."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@dataclass(frozen=True)
class Seen:
    """All bytes that a client got, and how they ended: ``FIN`` or ``RST``."""

    data: bytes
    end: str


def see(connection: socket.socket, on_data: Callable[[bytes], object] = len) -> Seen:
    """Reads to the end; ``on_data`` is shown what there is after each reading."""
    data = b""
    while True:
        try:
            received = connection.recv(65536)
        except ConnectionResetError:
            return Seen(data, "RST")
        if not received:
            return Seen(data, "FIN")
        data += received
        on_data(data)


def connect(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=TIMEOUT_S)


def tunnelled(proxy: tuple[str, int], host: str, port: int) -> socket.socket:
    """A connection to ``host`` by way of a proxy's CONNECT."""
    connection = connect(proxy)
    connection.sendall(f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += connection.recv(1)
    assert b" 200 " in answer, answer
    return connection


def asking(port: int, body: bytes = b"{}", *headers: str, target: str = "/v1/responses") -> bytes:
    """A POST in absolute form, as a client writes it to a proxy."""
    lines = [
        f"POST http://127.0.0.1:{port}{target} HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        f"content-length: {len(body)}",
        *headers,
    ]
    return "\r\n".join((*lines, "", "")).encode("latin-1") + body


def answered(*parts: bytes) -> Callable[[socket.socket], None]:
    """Answers each request on a connection with the same bytes."""

    def serve(connection: socket.socket) -> None:
        while read_request(connection):
            connection.sendall(b"".join(parts))

    return serve
