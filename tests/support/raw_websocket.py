"""A WebSocket client that sends any frame, and sees every frame as it is."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from raw_client import Over, RawClient, raw_client

from wiretape.facts import Headers, Sender
from wiretape.frames import FrameReader, Message, PermessageDeflate

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
TEXT, BINARY, CLOSE, PING, PONG = 0x1, 0x2, 0x8, 0x9, 0xA


def handshake_bytes(*lines: str, target: str = "/v1/responses") -> bytes:
    """The handshake that asks for a WebSocket."""
    head = [
        f"GET {target} HTTP/1.1",
        "Host: replay",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        f"Sec-WebSocket-Key: {KEY}",
        *lines,
    ]
    return "\r\n".join([*head, "", ""]).encode()


def frame(opcode: int, data: bytes = b"", *, is_final: bool = True, flags: int = 0) -> bytes:
    """A frame as a client sends it: masked, with a mask that changes nothing."""
    first = bytes([opcode | flags | (0x80 if is_final else 0)])
    if len(data) < 126:
        length = bytes([0x80 | len(data)])
    elif len(data) < 65536:
        length = bytes([0x80 | 126]) + len(data).to_bytes(2)
    else:
        length = bytes([0x80 | 127]) + len(data).to_bytes(8)
    return first + length + bytes(4) + data


@dataclass(slots=True)
class RawSocket:
    """An open WebSocket. ``head`` is what its handshake was answered with."""

    client: RawClient
    head: Headers
    reader: FrameReader
    waiting: list[Message] = field(default_factory=list)

    def ask(self, body: dict[str, Any]) -> None:
        """Sends a request as one message."""
        self.client.send(frame(TEXT, json.dumps(body).encode()))

    def hear(self) -> Message:
        """The next message or control frame of the server."""
        while not self.waiting:
            data = self.client.read_some()
            assert data, "the connection ended"
            self.waiting += self.reader.feed(data)
        return self.waiting.pop(0)

    def hear_to_end(self) -> tuple[list[Message], Over]:
        """Everything that comes, and how the connection ends."""
        data, over = self.client.read_to_end()
        heard = self.waiting + self.reader.feed(data) + self.reader.close()
        self.waiting = []
        return heard, over


@contextmanager
def raw_socket(
    host: str, port: int, *lines: str, deflate: PermessageDeflate | None = None
) -> Iterator[RawSocket]:
    """A WebSocket that is opened with these headers too. ``deflate``: how it is compressed."""
    with raw_client(host, port) as client:
        client.send(handshake_bytes(*lines))
        status, headers = client.read_head()
        assert status.startswith("HTTP/1.1 101 ")
        yield RawSocket(client, tuple(headers), FrameReader(Sender.SERVER, deflate))
