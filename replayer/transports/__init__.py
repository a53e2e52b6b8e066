"""A recording on the other transport: HTTP with an event stream, or WebSocket.

Whether a failure lies in the transport or in what was said on it shows when the same is said on
the other one::

    tries      one try at a request, whatever carried it
    reading    exchanges ──▶ tries, each with its whole input
    fallback   which tries only the transport that was left had
    sockets    tries ──▶ WebSockets, as the client of that version opens them
    streams    tries ──▶ HTTP exchanges
    bending    recording ──▶ recording

What has no counterpart is refused, or left out and said. Everything here is pure.
"""
