"""One connection to the scripted provider: requests in turn, each answered as the script says."""

import asyncio

import provider_http
from provider_course import Course
from provider_http import Request
from provider_log import Ask, Exit
from provider_script import (
    NOT_FOUND,
    Accept,
    Close,
    Complete,
    Drop,
    Ending,
    Event,
    Fin,
    Hang,
    Headers,
    Ping,
    Plain,
    Reply,
    Reset,
)
from provider_websocket import converse
from provider_wire import Wire, WireOver, compact

SSE_HEADERS: Headers = (
    ("content-type", "text/event-stream; charset=utf-8"),
    ("cache-control", "no-cache"),
    ("transfer-encoding", "chunked"),
)


async def serve(number: int, course: Course, wire: Wire) -> None:
    """Answers requests until the client leaves or the script ends the connection."""
    loop = asyncio.get_running_loop()
    try:
        while True:
            request = await provider_http.read_request(wire.reader)
            await _answer(number, request, course, wire)
    except WireOver:
        pass
    except asyncio.IncompleteReadError:
        course.leave(number, loop.time(), Exit.FIN)
    except ConnectionError:
        course.leave(number, loop.time(), Exit.RESET)
    finally:
        await wire.close()


async def _answer(number: int, request: Request, course: Course, wire: Wire) -> None:
    at_s = asyncio.get_running_loop().time()
    kind = _kind(request)
    match course.ask(kind, number, at_s, request, request.decoded_body()) or NOT_FOUND:
        case Plain(status, body, headers):
            await wire.send(provider_http.whole(status, headers, body))
        case Accept() as accept:
            await converse(number, request, accept, course, wire)
        case Reply() as reply:
            await _stream(reply, course, wire)
        case Drop(end):
            await _end(end, wire)


def _kind(request: Request) -> Ask:
    upgrades = request.header("upgrade").lower() == "websocket"
    match request.method, request.path.rpartition("/")[2]:
        case "POST", "responses":
            return Ask.SSE
        case "GET", "responses" if upgrades:
            return Ask.UPGRADE
        case "GET", "models":
            return Ask.MODELS
    return Ask.OTHER


async def _stream(reply: Reply, course: Course, wire: Wire) -> None:
    await wire.send(provider_http.head(200, (*SSE_HEADERS, *reply.headers)))
    for step in course.steps(reply):
        await asyncio.sleep(reply.pause_s)
        await wire.send(provider_http.chunk(_field(step)))
    await _end(reply.end, wire)


async def _end(end: Ending, wire: Wire) -> None:
    match end:
        case Complete():
            await wire.send(provider_http.LAST_CHUNK)
        case Fin():
            await wire.fin()
        case Reset():
            wire.reset()
        case Hang():
            await wire.hang()
        case Close():
            raise ValueError("a script ends an HTTP response with a WebSocket close frame")


def _field(step: Event) -> bytes:
    match step:
        case dict():
            return f"event: {step['type']}\ndata: {compact(step)}\n\n".encode()
        case str():
            return f"data: {step}\n\n".encode()
        case bytes():
            return step
        case Ping(payload):
            return b": %b\n\n" % payload
