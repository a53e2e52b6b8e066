"""``CODEX_RS_SSE_FIXTURE``: how the client reads a file in the place of a response.

The file is read line by line and an empty line is put after each, so an event must stand on one
``data:`` line; an ``event:`` line becomes an event of its own without data, and means nothing.
What comes out goes through the same reader as a stream from the network, over SSE whatever the
configuration says, and without any headers. Source: document 002 §7.
"""

from wiretape.sse import SseDecoder


def read_fixture(text: str) -> tuple[str, ...]:
    """The ``data`` of each event that the client sees in a fixture file with this text (§7)."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    decoder = SseDecoder()
    events = [
        event for line in lines for event in decoder.feed(f"{line.removesuffix('\r')}\n\n".encode())
    ]
    return tuple(event.data for event in events)
