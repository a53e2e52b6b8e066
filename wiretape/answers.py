"""What the server sent in answer to one request, folded crossing by crossing.

Keeps counts and times, never the text, however long an answer is; only a body that is one JSON
value is held until it is whole.
"""

from dataclasses import dataclass
from typing import Final

from wiretape.crossings import COMMENT, HTTP_BODY, PING, PONG, Crossing
from wiretape.events import event_type
from wiretape.jsontext import Unparsable, parse_object
from wiretape.said import Said, Words
from wiretape.sse import SseDecoder

MOST_BODY_CHARACTERS: Final = 64 * 1024 * 1024
"""The longest body that is held to be read as one JSON value."""


@dataclass(frozen=True, slots=True)
class Silence:
    """A time without an event or a byte of the body.

    ``signs_of_life`` counts the pings, pongs and comments that came all the same. Codex waits for
    events and takes no notice of them; only 0.99 began its wait anew with each ping.
    """

    from_us: int
    us: int = 0
    signs_of_life: int = 0


class AnswerFold:
    """Folds one answer. ``add()`` takes what the server sent after ``asked_at_us``, in order."""

    def __init__(self, asked_at_us: int, words: Words) -> None:
        self.events = 0
        self.size_bytes = 0
        self.first_byte_us: int | None = None
        self.first_event_us: int | None = None
        self.last_event_us: int | None = None
        self.longest_silence = Silence(asked_at_us)
        self._words = words
        self._heard_at_us = asked_at_us
        self._signs_of_life = 0
        self._body: list[str] = []
        self._body_characters = 0

    @property
    def said(self) -> Said:
        """What the words come to so far."""
        return self._words.said

    def add(self, crossing: Crossing) -> None:
        """Takes the next thing that the server sent."""
        self.size_bytes += crossing.size_bytes
        if self.first_byte_us is None:
            self.first_byte_us = crossing.at_us
        if crossing.type in _SIGNS_OF_LIFE:
            self._signs_of_life += 1
            return
        # A socket goes on after the answer: what it says while tools run was not waited for.
        if not self.said.is_over:
            self.wait_until(crossing.at_us)
        self._heard_at_us, self._signs_of_life = crossing.at_us, 0
        if crossing.type == HTTP_BODY:
            self._hold(crossing.text or "")
            return
        self.events += 1
        if self.first_event_us is None:
            self.first_event_us = crossing.at_us
        self.last_event_us = crossing.at_us
        if crossing.text is not None:
            self._words.event(crossing.type, crossing.text, crossing.at_us)

    def wait_until(self, at_us: int) -> None:
        """Counts the silence from what came last up to this time."""
        us = at_us - self._heard_at_us
        if us > self.longest_silence.us:
            self.longest_silence = Silence(self._heard_at_us, us, self._signs_of_life)

    def read_body(self) -> None:
        """The body has ended: reads it, where it is one JSON value, or a stream that is called
        something else."""
        if self.events or not self._body:
            return
        text = "".join(self._body)
        self._body.clear()
        body = parse_object(text)
        if not isinstance(body, Unparsable):
            self._words.body(body, self._heard_at_us)
            return
        # A client that asked for a stream reads one, whatever the content type says.
        for event in SseDecoder().feed(text.encode()):
            self._words.event(event_type(event.data) or "", event.data, self._heard_at_us)

    def _hold(self, text: str) -> None:
        self._body_characters += len(text)
        if self._body_characters <= MOST_BODY_CHARACTERS:
            self._body.append(text)
        else:
            self._body.clear()


_SIGNS_OF_LIFE: Final = frozenset({PING, PONG, COMMENT})
