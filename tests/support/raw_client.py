"""A client that sees every byte: raw sockets, with the ways in which a connection can end."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum

TIMEOUT_S = 20.0


class Over(StrEnum):
    """How the server ended a connection."""

    FIN = "fin"
    """In order; under TLS, with a goodbye."""
    TORN = "torn"
    """Under TLS, a FIN without one."""
    RESET = "reset"


@dataclass(slots=True)
class RawClient:
    """One connection. Reading fails after a while instead of waiting for ever."""

    connection: socket.socket
    held: bytearray = field(default_factory=bytearray)

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def read_some(self) -> bytes:
        """What comes next, empty at FIN; held bytes first."""
        if self.held:
            data = bytes(self.held)
            self.held.clear()
            return data
        return self.connection.recv(65536)

    def read_until(self, mark: bytes) -> bytes:
        """Everything up to ``mark`` and including it."""
        while mark not in self.held:
            data = self.connection.recv(65536)
            assert data, f"the connection ended before {mark!r}; there is {bytes(self.held)!r}"
            self.held += data
        end = self.held.index(mark) + len(mark)
        data = bytes(self.held[:end])
        del self.held[:end]
        return data

    def read_exactly(self, count: int) -> bytes:
        while len(self.held) < count:
            data = self.connection.recv(65536)
            assert data, f"the connection ended after {len(self.held)} of {count} bytes"
            self.held += data
        data = bytes(self.held[:count])
        del self.held[:count]
        return data

    def read_to_end(self) -> tuple[bytes, Over]:
        """Everything that comes, and how the connection ends."""
        data = bytearray(self.held)
        self.held.clear()
        while True:
            try:
                more = self.connection.recv(65536)
            except ConnectionResetError:
                return bytes(data), Over.RESET
            except ssl.SSLEOFError:
                return bytes(data), Over.TORN
            if not more:
                return bytes(data), Over.FIN
            data += more

    def read_head(self) -> tuple[str, list[tuple[str, str]]]:
        """A response's status line and headers, as they stand."""
        status, *lines = self.read_until(b"\r\n\r\n").decode("latin-1")[:-4].split("\r\n")
        return status, [(name, value) for name, _, value in (x.partition(": ") for x in lines)]

    def read_chunk(self) -> bytes:
        """One chunk of a chunked body; the last one is empty."""
        size = int(self.read_until(b"\r\n"), 16)
        data = self.read_exactly(size)
        assert self.read_exactly(2) == b"\r\n"
        return data

    def read_chunks(self) -> list[bytes]:
        """A chunked body, chunk by chunk."""
        return list(iter(self.read_chunk, b""))

    def open_tunnel(self, target: str) -> None:
        """CONNECT, which must succeed."""
        self.send(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        assert self.read_until(b"\r\n\r\n") == b"HTTP/1.1 200 Connection established\r\n\r\n"

    def begin_tls(self, context: ssl.SSLContext, name: str | None) -> None:
        """Speaks TLS from here on; ``name`` is whom it asks for."""
        self.connection = context.wrap_socket(
            self.connection, server_hostname=name, suppress_ragged_eofs=False
        )


@contextmanager
def raw_client(host: str, port: int) -> Iterator[RawClient]:
    """A connection that is closed in the end."""
    client = RawClient(socket.create_connection((host, port), TIMEOUT_S))
    try:
        yield client
    finally:
        client.connection.close()


def request_bytes(
    method: str = "POST",
    target: str = "/v1/responses",
    body: bytes = b"",
    *lines: str,
) -> bytes:
    """An HTTP request as a client sends it."""
    head = [f"{method} {target} HTTP/1.1", "Host: replay", *lines]
    if body:
        head.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*head, "", ""]).encode() + body
