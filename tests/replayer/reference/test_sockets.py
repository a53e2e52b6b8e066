"""The real wire: what httpx and websockets do, in the words of the model of the client."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator

import pytest
from provider import Provider
from provider_log import Exit
from provider_script import Accept, Close, Drop, Fin, Hang, Plain, Reply, Reset, Script, Written
from websockets.datastructures import Headers
from websockets.http11 import Request
from websockets.server import ServerProtocol

from replayer.reference.sockets import Address, SocketWire, Timing
from wiretape.client.wire import (
    Breakage,
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Refused,
    Said,
    TimedOut,
    Unanswered,
    Unreachable,
)

type Use[T] = Callable[[SocketWire], Awaitable[T]]

PATIENT = Timing(delay_factor=0, connect_s=5, idle_s=5)
HURRIED = Timing(delay_factor=0, connect_s=0.1, idle_s=0.1)
ASK = {"type": "response.create", "input": []}
EVENTS = Written(('{"a":1}', '{"b":"\u2028"}'))
HEARD: list[Input] = [Said('{"a":1}'), Said('{"b":"\u2028"}')]


async def use_at[T](base_url: str, use: Use[T], timing: Timing) -> T:
    """What ``use`` gives of a wire to that address, which is closed after it."""
    url = f"{base_url}/responses"
    wire = SocketWire(Address(url, url.replace("http", "ws", 1), heeds_proxies=False), timing)
    try:
        return await use(wire)
    finally:
        await wire.close()


def used[T](script: Script, use: Use[T], timing: Timing = PATIENT) -> tuple[T, Provider]:
    """What ``use`` gives of a wire to a scripted provider, and the provider."""
    with Provider(script) as provider:
        return asyncio.run(use_at(provider.base_url, use, timing)), provider


async def streamed(wire: SocketWire) -> list[Input]:
    """All that comes of a POST."""
    heard = [await wire.post((), ASK, 0)]
    while isinstance(heard[-1], Opened | Said):
        heard.append(await wire.receive())
    return heard[1:]


async def asked(wire: SocketWire) -> list[Input]:
    """All that comes of a request on a socket, up to what is no message."""
    heard = [await wire.upgrade((), 0)]
    await wire.send(ASK)
    while isinstance(heard[-1], Opened | Said):
        heard.append(await wire.receive())
    return heard[1:]


@pytest.mark.parametrize(
    ("end", "what"),
    [
        (None, Ended()),
        (Fin(), Broken(Breakage.BODY_CUT)),
        (Reset(), Broken(Breakage.BODY_CUT)),
        (Hang(), TimedOut()),
    ],
)
def test_a_stream_is_read_to_its_end(end: Fin | Reset | Hang | None, what: Input) -> None:
    """Events as the standard cuts them, and the end by its name."""
    reply = Reply(EVENTS) if end is None else Reply(EVENTS, end)
    heard, _ = used(Script(posts=(reply,)), streamed, HURRIED)
    assert heard == [*HEARD, what]


@pytest.mark.parametrize(
    ("end", "what"),
    [
        (Close(1011, "why"), Closed(1011, "why")),
        (Fin(), Broken(Breakage.SOCKET_DROPPED)),
        (Reset(), Broken(Breakage.SOCKET_RESET)),
        (Hang(), TimedOut()),
    ],
)
def test_a_socket_is_read_to_its_end(end: Close | Fin | Reset | Hang, what: Input) -> None:
    """Messages whole, and the end by its name."""
    script = Script(upgrades=(Accept(),), messages=(Reply(EVENTS, end),))
    heard, _ = used(script, asked, HURRIED)
    assert heard == [*HEARD, what]


async def upgraded(wire: SocketWire) -> Input:
    """What becomes of an upgrade."""
    return await wire.upgrade((), 0)


@pytest.mark.parametrize(
    ("behaviour", "what"),
    [
        (Drop(Fin()), Unanswered(Breakage.UPGRADE_DROPPED)),
        (Drop(Reset()), Unanswered(Breakage.UPGRADE_RESET)),
        (Drop(Hang()), TimedOut()),
    ],
)
def test_an_upgrade_without_an_answer_has_its_name(behaviour: Drop, what: Input) -> None:
    """Hung up, reset, or silent for too long."""
    result, _ = used(Script(upgrades=(behaviour,)), upgraded, HURRIED)
    assert result == what


def test_a_refusal_comes_with_headers_and_body() -> None:
    """Of an upgrade as of a POST."""

    async def both(wire: SocketWire) -> tuple[Input, Input]:
        return await wire.upgrade((), 0), await wire.post((), ASK, 0)

    refused = Plain(429, '{"é":1}', (("retry-after", "1"),))
    results, _ = used(Script(upgrades=(refused,), posts=(refused,)), both)
    for result in results:
        assert isinstance(result, Refused)
        assert (result.status, result.body) == (429, '{"é":1}')
        assert ("retry-after", "1") in result.headers


def test_nobody_there_is_told_in_the_words_of_the_system(deaf_port: int) -> None:
    """The same over either transport."""

    async def both(wire: SocketWire) -> tuple[Input, Input]:
        return await wire.upgrade((), 0), await wire.post((), ASK, 0)

    url = f"http://127.0.0.1:{deaf_port}"
    refused = Unreachable("Connection refused (os error 111)")
    assert asyncio.run(use_at(url, both, PATIENT)) == (refused, refused)


def test_a_body_is_compressed_where_its_header_says_so() -> None:
    """zstd is the only coding that the client knows."""

    async def post(wire: SocketWire) -> Input:
        return await wire.post((("content-encoding", "zstd"),), ASK, 0)

    result, provider = used(Script(posts=(Reply(EVENTS),)), post)
    assert isinstance(result, Opened)
    assert provider.requests[0].body == ASK
    assert dict(provider.requests[0].headers)["content-encoding"] == "zstd"


def test_a_socket_is_dropped_without_a_close_frame() -> None:
    """As the real client drops it, when it needs another one."""

    async def twice(wire: SocketWire) -> list[Input]:
        return [await wire.upgrade((), 0), await wire.upgrade((), 0)]

    with Provider(Script(upgrades=(Accept(),))) as provider:
        asyncio.run(use_at(provider.base_url, twice, PATIENT))
        departures = provider.wait_for_departures(2)
    assert [each.how for each in departures] == [Exit.FIN, Exit.FIN]


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (Reply(EVENTS, Close(1000)), Closed(1000, "")),
        (Reply(EVENTS, Fin()), Broken(Breakage.SOCKET_DROPPED)),
        (Reply(EVENTS), None),
    ],
)
def test_while_tools_run_only_the_end_of_the_socket_counts(
    reply: Reply, what: Input | None
) -> None:
    """What is said while nothing is asked is passed over."""

    async def rested(wire: SocketWire) -> Input | None:
        await wire.upgrade((), 0)
        await wire.send(ASK)
        assert await wire.receive() == HEARD[0]
        return await wire.rest()

    result, _ = used(Script(upgrades=(Accept(),), messages=(reply,)), rested)
    assert result == what


def test_nothing_rests_over_http() -> None:
    """Between two POSTs nothing is open."""

    async def rested(wire: SocketWire) -> Input | None:
        await streamed(wire)
        return await wire.rest()

    result, _ = used(Script(posts=(Reply(EVENTS),)), rested)
    assert result is None


@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "WebSocket protocol error: "),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", "WebSocket protocol error: "),
    ],
)
def test_an_answer_that_is_no_handshake_is_no_answer(reply: bytes, what: str) -> None:
    """The words after the client's are the library's."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply)
        writer.close()

    result = asyncio.run(served(serve, upgraded))
    assert isinstance(result, Unanswered) and result.how.startswith(what)


def test_frames_that_are_none_break_the_socket() -> None:
    """It is the library that closes then, not the server."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:-2]
        pairs = [line.split(": ", 1) for line in head]
        request = Request("/", Headers([(name, value) for name, value in pairs]))
        writer.write(ServerProtocol().accept(request).serialize() + b"\xff\xff\xff\xff")
        writer.write_eof()
        await reader.read()
        writer.close()

    async def asked_once(wire: SocketWire) -> Input:
        await wire.upgrade((), 0)
        await wire.send(ASK)
        return await wire.receive()

    assert asyncio.run(served(serve, asked_once)) == Broken("WebSocket protocol error")


async def served[T](
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]], use: Use[T]
) -> T:
    """What ``use`` gives of a wire to a server of bytes."""
    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        return await use_at(f"http://127.0.0.1:{port}", use, PATIENT)


@pytest.fixture
def deaf_port() -> Iterator[int]:
    """A port of loopback that is taken, and on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])
