"""WebSocket frames: the raw bytes of one direction of a socket, read by an observer.

An observer differs from an endpoint. It never answers, has no limits, and must not object to what
the two ends let pass: a frame masked wrongly, a length written too wide or a text that is not
UTF-8 is still a message. And when a frame cannot be read at all, its bytes must stay on the tape.
The protocol classes of WebSocket libraries are endpoints: they close, they refuse, and they keep
no raw bytes. So the frame header (RFC 6455 5.2) is read here, and ``permessage-deflate``
(RFC 7692) with zlib; only the grammar of the extension header is a library's.

The invariant a test keeps: no byte is lost. Each is in a message, or comes out as ``UNDECODED``.
"""

import zlib
from dataclasses import dataclass

from websockets.exceptions import InvalidHeaderFormat
from websockets.headers import parse_extension

from wiretape.facts import Headers, PieceKind, Sender, all_headers

_CONTINUATION = 0x0
_DATA_KINDS = {0x1: PieceKind.TEXT, 0x2: PieceKind.BINARY}
_CONTROL_KINDS = {0x8: PieceKind.CLOSE, 0x9: PieceKind.PING, 0xA: PieceKind.PONG}
_FIN, _RSV1, _RSV2_AND_3, _MASK = 0x80, 0x40, 0x30, 0x80
LONGEST_CONTROL_BYTES = 125
"""What a close frame, a ping or a pong may carry (RFC 6455 5.5)."""

_LONGEST_BYTES = (1 << 63) - 1
_SYNC_TAIL = b"\x00\x00\xff\xff"


@dataclass(frozen=True, slots=True)
class PermessageDeflate:
    """What a handshake agreed on for compression (RFC 7692 7.1)."""

    server_no_context_takeover: bool = False
    client_no_context_takeover: bool = False
    server_max_window_bits: int = 15
    client_max_window_bits: int = 15

    def keeps_context(self, sender: Sender) -> bool:
        """Whether a message of the sender may refer back to the ones before it."""
        if sender is Sender.SERVER:
            return not self.server_no_context_takeover
        return not self.client_no_context_takeover


def negotiated(headers: Headers) -> PermessageDeflate | None:
    """The compression that the handshake's answer accepts, ``None`` for none.

    A parameter with an impossible value counts as absent; a header that cannot be parsed accepts
    nothing.
    """
    for value in all_headers(headers, "Sec-WebSocket-Extensions"):
        try:
            extensions = parse_extension(value)
        except InvalidHeaderFormat:
            continue
        for name, parameters in extensions:
            if name.lower() == "permessage-deflate":
                given = {key.lower(): setting for key, setting in parameters}
                return PermessageDeflate(
                    "server_no_context_takeover" in given,
                    "client_no_context_takeover" in given,
                    _window_bits(given.get("server_max_window_bits")),
                    _window_bits(given.get("client_max_window_bits")),
                )
    return None


def _window_bits(setting: str | None) -> int:
    return int(setting) if setting in {"8", "9", "10", "11", "12", "13", "14", "15"} else 15


@dataclass(frozen=True, slots=True)
class Message:
    """A message, whole, unmasked and uncompressed; or a control frame; or undecoded bytes."""

    kind: PieceKind
    data: bytes


class _Unreadable(Exception):
    """A frame or message that cannot be read. Stays inside this module; wire faults are data."""


@dataclass(frozen=True, slots=True)
class _Frame:
    opcode: int
    is_final: bool
    is_compressed: bool
    payload: bytes
    raw: bytes


class FrameReader:
    """Reads what one side of a WebSocket sends after the handshake.

    ``fault`` is ``None`` until something cannot be read; then it says what, and everything from
    that frame on, with the fragments of the message it broke into, comes out as ``UNDECODED``.
    """

    def __init__(self, sender: Sender, deflate: PermessageDeflate | None) -> None:
        self.fault: str | None = None
        self._inflater = _Inflater(deflate.keeps_context(sender)) if deflate else None
        self._buffer = bytearray()
        self._fragments: list[_Frame] = []  # of a message that is not finished

    def feed(self, data: bytes) -> list[Message]:
        """The messages that these bytes complete, in the order in which they are completed.

        A control frame between the fragments of a message comes before that message.
        """
        self._buffer += data
        if self.fault is not None:
            return self._undecoded()
        messages = []
        try:
            while (frame := self._next_frame()) is not None:
                if frame.opcode in _CONTROL_KINDS:
                    messages.append(Message(_CONTROL_KINDS[frame.opcode], frame.payload))
                    continue
                self._fragments.append(frame)
                if frame.is_final:
                    messages.append(self._message())
                    self._fragments.clear()
        except _Unreadable as unreadable:
            self.fault = str(unreadable)
            messages += self._undecoded()
        return messages

    def close(self) -> list[Message]:
        """The socket is over: what is left of a frame or of a message, as ``UNDECODED``."""
        undecoded = self._undecoded()
        if undecoded:
            self.fault = "the socket ended inside a message"
        return undecoded

    def _next_frame(self) -> _Frame | None:
        """Takes the next frame out of the buffer; ``None`` if it is not there whole."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, length, start = buffer[0], buffer[1] & 0x7F, 2
        # Judged before the payload is awaited: bytes that are no frame at all must not be held
        # back for the length that they seem to state.
        self._judge(first, length)
        if length > LONGEST_CONTROL_BYTES:
            start += 2 if length == 126 else 8
            length = int.from_bytes(buffer[2:start])
            if length > _LONGEST_BYTES:
                raise _Unreadable("a length of more than 63 bits")
        mask = b""
        if buffer[1] & _MASK:
            mask = bytes(buffer[start : start + 4])
            start += 4
        end = start + length
        if len(buffer) < end:
            return None
        raw = bytes(buffer[:end])
        del buffer[:end]
        return _Frame(
            opcode=first & 0x0F,
            is_final=bool(first & _FIN),
            is_compressed=bool(first & _RSV1),
            payload=_unmasked(raw[start:], mask) if mask else raw[start:],
            raw=raw,
        )

    def _judge(self, first: int, length: int) -> None:
        """Raises if a frame with this first byte and short length cannot stand here."""
        opcode = first & 0x0F
        is_control, is_data = opcode in _CONTROL_KINDS, opcode in _DATA_KINDS
        if not (is_control or is_data or opcode == _CONTINUATION):
            raise _Unreadable(f"unknown opcode {opcode}")
        if first & _RSV2_AND_3:
            raise _Unreadable("a reserved bit is set")
        if first & _RSV1 and not (is_data and self._inflater):
            raise _Unreadable("marked as compressed where compression was not agreed on")
        if is_control and not (first & _FIN and length <= LONGEST_CONTROL_BYTES):
            raise _Unreadable("a control frame that is fragmented or too long")
        if is_data and self._fragments:
            raise _Unreadable("a new message inside one that is not finished")
        if opcode == _CONTINUATION and not self._fragments:
            raise _Unreadable("a continuation of nothing")

    def _message(self) -> Message:
        """The message that the fragments make, the last one being final."""
        opening = self._fragments[0]
        data = b"".join(fragment.payload for fragment in self._fragments)
        if opening.is_compressed and self._inflater is not None:
            data = self._inflater.inflate(data)
        return Message(_DATA_KINDS[opening.opcode], data)

    def _undecoded(self) -> list[Message]:
        """Everything that is held, as it came."""
        raw = b"".join(fragment.raw for fragment in self._fragments) + bytes(self._buffer)
        self._fragments.clear()
        self._buffer.clear()
        return [Message(PieceKind.UNDECODED, raw)] if raw else []


def close_code_and_reason(data: bytes) -> tuple[int | None, str]:
    """Code and reason in a close frame's payload; ``None`` and ``""`` where it states none."""
    if len(data) < 2:
        return None, ""
    return int.from_bytes(data[:2]), data[2:].decode("utf-8", "replace")


def close_payload(code: int | None, reason: str) -> bytes:
    """Undoes :func:`close_code_and_reason`."""
    return b"" if code is None else code.to_bytes(2) + reason.encode()


class _Inflater:
    """Decompresses the messages of one side, one after the other."""

    def __init__(self, keeps_context: bool) -> None:
        self._keeps_context = keeps_context
        self._start()

    def _start(self) -> None:
        # A window of 32 kB reads what was written with a smaller one, so the agreed sizes
        # do not matter here.
        self._deflated = zlib.decompressobj(-zlib.MAX_WBITS)

    def inflate(self, data: bytes) -> bytes:
        """One message. Raises ``_Unreadable`` if the data is damaged."""
        try:
            message = self._deflated.decompress(data + _SYNC_TAIL)
        except zlib.error as error:
            raise _Unreadable("a compressed message that is damaged") from error
        # A sender may end a message with a final block, then an empty one (RFC 7692 7.2.3.4).
        if self._deflated.unused_data not in (b"", _SYNC_TAIL, b"\0" + _SYNC_TAIL):
            raise _Unreadable("a compressed message that goes on after its end")
        if self._deflated.eof or not self._keeps_context:
            self._start()
        return message


def _unmasked(payload: bytes, mask: bytes) -> bytes:
    """The payload XORed with the four bytes, over and over (RFC 6455 5.3)."""
    repeated = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload) ^ int.from_bytes(repeated)).to_bytes(len(payload))
