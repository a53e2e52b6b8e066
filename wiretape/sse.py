"""Server-sent events: bytes at any split into events, and events into bytes.

Decoding follows the HTML standard to the letter (WHATWG HTML, "Server-sent events", 9.2.5
"Parsing an event stream" and 9.2.6 "Interpreting an event stream"). A line ends at LF, CR or
CRLF and nowhere else: U+2028, U+0085, VT and FF are ordinary characters, legal inside JSON
strings, which is why neither ``str.splitlines()`` nor an HTTP library's line iterator may
touch a stream.

This module refuses to know what an event means. The invariants its tests keep: any split of the
bytes gives the same events; and the byte ranges of the events, then what ``close()`` hands back,
tile the stream without hole or overlap.
"""

from dataclasses import dataclass

from wiretape.errors import CannotExpress

DEFAULT_TYPE = "message"

_BOM = b"\xef\xbb\xbf"
_LONGEST_RETRY_DIGITS = 18


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event that the standard dispatches, and the bytes that it came from.

    Ranges are offsets in the stream. ``start`` is where the event before ended and ``end`` is
    after the blank line that dispatched this one, so the ranges tile. The event's own block
    begins at ``block_start``: the bytes from ``start`` to there are blocks that dispatch nothing
    (comments, keep-alives, blocks without data), and the byte order mark of the stream.
    """

    event: str
    """The event type; ``"message"`` where the stream names none."""
    data: str
    """The data lines joined by LF. Bytes that are not UTF-8 have become U+FFFD."""
    id: str
    """The last event id in force, which may have been set by an earlier block."""
    retry_ms: int | None
    """The reconnection time in force, ``None`` until the stream sets one."""
    start: int
    block_start: int
    end: int


class SseDecoder:
    """Decodes one stream. ``feed()`` takes its bytes as they arrive; ``close()`` ends it.

    An event comes out of the ``feed()`` that brings the end of its blank line. When that is a CR
    at the very end of the bytes fed, the event waits for one byte more, because an LF would
    still belong to it.
    """

    def __init__(self) -> None:
        self._line = bytearray()  # a line whose end has not come
        self._block: list[bytes] = []  # whole lines since the last blank one
        self._silent = bytearray()  # blocks that dispatched nothing, since the last event
        self._start = 0
        self._position = 0  # where the next whole line begins
        self._last_id = ""
        self._retry_ms: int | None = None

    def feed(self, data: bytes) -> list[SseEvent]:
        """The events that these bytes complete, in order. Time is linear in the bytes fed."""
        if not data:
            return []
        lines = data.splitlines(keepends=True)  # of bytes, this cuts at LF, CR and CRLF alone
        if self._line.endswith(b"\r") and not data.startswith(b"\n"):
            lines.insert(0, self._take_line())
        elif len(lines) == 1 and not data.endswith(b"\n"):
            self._line += data
            return []
        else:
            self._line += lines[0]
            lines[0] = self._take_line()
        if not lines[-1].endswith(b"\n"):
            self._line += lines.pop()
        return self._take_in(lines)

    def close(self) -> tuple[list[SseEvent], bytes]:
        """The stream is over: the event that waited for its LF, if any, and the leftover.

        The leftover is every byte after the last event: blocks that dispatched nothing, then the
        block that was cut off, which the standard discards. Empty for a stream that ended well.
        """
        events = self._take_in([self._take_line()]) if self._line.endswith(b"\r") else []
        leftover = bytes(self._silent) + b"".join(self._block) + bytes(self._line)
        return events, leftover

    def _take_line(self) -> bytes:
        line = bytes(self._line)
        self._line.clear()
        return line

    def _take_in(self, lines: list[bytes]) -> list[SseEvent]:
        if self._position == 0 and lines and lines[0].startswith(_BOM):
            # The mark is no part of the first line (9.2.5); only its bytes are accounted for.
            self._silent += _BOM
            self._position = len(_BOM)
            lines[0] = lines[0].removeprefix(_BOM)
        events = []
        for line in lines:
            self._position += len(line)
            self._block.append(line)
            if line[0] not in b"\r\n":
                continue
            event = self._interpret(self._block)
            if event is None:
                self._silent += b"".join(self._block)
            else:
                events.append(event)
                self._silent.clear()
                self._start = self._position
            self._block.clear()
        return events

    def _interpret(self, block: list[bytes]) -> SseEvent | None:
        """The event of a block that a blank line has ended, or ``None`` (9.2.6)."""
        block_start = self._start + len(self._silent)
        event_type = b""
        data = []
        for line in block:
            # A line that is a comment has the empty name, so it falls through the match.
            name, _, value = line.rstrip(b"\r\n").partition(b":")
            value = value.removeprefix(b" ")
            match name:
                case b"data":
                    data.append(value)
                case b"event":
                    event_type = value
                case b"id" if b"\0" not in value:
                    self._last_id = _text(value)
                case b"retry" if value.isdigit():
                    self._retry_ms = _milliseconds(value)
        if not data:
            return None
        return SseEvent(
            event=_text(event_type) or DEFAULT_TYPE,
            data=_text(b"\n".join(data)),
            id=self._last_id,
            retry_ms=self._retry_ms,
            start=self._start,
            block_start=block_start,
            end=self._position,
        )


def encode(event: SseEvent, previous: SseEvent | None = None) -> bytes:
    """The event as bytes, one that decodes to it when ``previous`` came just before.

    ``id`` and ``retry`` are written only where they differ from what ``previous`` left in force.
    The form is this module's own (``name: value``, LF); the recorded bytes of an event are its
    range in the stream. Raises ``CannotExpress`` for a value that no stream can carry.
    """
    lines = []
    if event.event != DEFAULT_TYPE:
        lines.append("event: " + _one_line("event type", event.event))
    if event.id != (previous.id if previous else ""):
        lines.append("id: " + _one_line("id", event.id))
    if event.retry_ms is not None and event.retry_ms != (previous.retry_ms if previous else None):
        lines.append(f"retry: {event.retry_ms}")
    lines += ("data: " + _one_line("data", line) for line in event.data.split("\n"))
    try:
        return "\n".join([*lines, "", ""]).encode()
    except UnicodeEncodeError as error:
        raise CannotExpress(
            f"An event stream is UTF-8, and this event holds a lone surrogate ({error}): "
            "replace it before encoding."
        ) from error


def _one_line(what: str, value: str) -> str:
    """``value``, if it survives on one line of a stream."""
    impossible = {"event type": "\r\n", "id": "\r\n\0", "data": "\r"}[what]
    if any(character in value for character in impossible) or (what == "event type" and not value):
        raise CannotExpress(
            f"An event stream cannot carry the {what} {value!r:.80}: "
            "export the recorded bytes instead."
        )
    return value


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _milliseconds(digits: bytes) -> int:
    """The number that the digits spell, held within 18 of them so that a store can keep it."""
    significant = digits.lstrip(b"0") or b"0"
    if len(significant) > _LONGEST_RETRY_DIGITS:
        significant = b"9" * _LONGEST_RETRY_DIGITS
    return int(significant)
