"""A few lines of HTTP/1.1: requests read whole, responses written with every byte in our hand."""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus

import zstandard
from provider_script import Headers

HEAD_LIMIT_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Request:
    """A request, with its body as it was sent. Header names are in lower case."""

    method: str
    target: str
    headers: Headers
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    def header(self, name: str) -> str:
        """The first value of a header (lower case), or ``""``."""
        return next((value for key, value in self.headers if key == name), "")

    def decoded_body(self) -> bytes:
        """The body without its content encoding (zstd or none)."""
        if self.header("content-encoding") == "zstd":
            return zstandard.ZstdDecompressor().decompressobj().decompress(self.body)
        return self.body


async def read_request(reader: asyncio.StreamReader) -> Request:
    """The next request. ``asyncio.IncompleteReadError`` when the client left before its end."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    method, target, _version = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    headers = tuple((name.lower(), value.strip()) for name, _, value in pairs)
    request = Request(method, target, headers, b"")
    if request.header("transfer-encoding") == "chunked":
        body = await _read_chunks(reader)
    else:
        body = await reader.readexactly(int(request.header("content-length") or 0))
    return Request(method, target, headers, body)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    while size := int((await reader.readline()).partition(b";")[0], 16):
        body += (await reader.readexactly(size + 2))[:-2]
    while (await reader.readline()).strip():
        pass
    return bytes(body)


def head(status: int, headers: Headers) -> bytes:
    """A response head."""
    try:
        reason = HTTPStatus(status).phrase
    except ValueError:
        reason = "Unknown"
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def whole(status: int, headers: Headers, body: str) -> bytes:
    """A response with a body of known length."""
    data = body.encode()
    framing = (("content-type", "application/json"), ("content-length", str(len(data))))
    return head(status, (*framing, *headers)) + data


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body."""
    return b"%x\r\n%b\r\n" % (len(data), data)


LAST_CHUNK = b"0\r\n\r\n"
