"""What a request meant: the whole conversation, however little of it was sent.

A request on a socket may say only what is new: by the id of the response that it goes on from, or
as an addition to what was asked there before. What it means is that request's conversation, what
the answer to it said, and then its own input.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from inspector_web.asking import asked_of
from inspector_web.index.reader import IndexReader, Only
from wiretape.asked import Asked, RequestKind
from wiretape.attempt import Attempt
from wiretape.events import ItemDone, Lifecycle, parse_event
from wiretape.inputs import NOT_SAID
from wiretape.jsontext import object_at, string_at
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader

_NO_SETTINGS: Final = frozenset({"input", "messages", "previous_response_id", "type"})
"""The conversation, and how it was sent."""
_LONGEST_CHAIN: Final = 500
_TELLING: Final = ("response.output_item.done", "response.completed", "response.done")


@dataclass(frozen=True, slots=True)
class Meant:
    """The conversation that a request means, of which it sent the items from ``sent_from`` on.

    ``is_known``: what it goes on from is on the tape; else ``items`` are those that it sent.
    ``continues`` is the response it names, ``is_addition``: it names none, and adds to its socket.
    """

    items: list[Any]
    sent_from: int
    settings: Any
    is_known: bool = True
    continues: str | None = None
    is_addition: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether it sent only what is new."""
        return self.is_addition or self.continues is not None


def as_sent(asked: Asked) -> Meant:
    """A request that is taken for all that it says."""
    body = asked.body
    settings = body
    if isinstance(body, dict):
        settings = {key: value for key, value in body.items() if key not in _NO_SETTINGS}
    return Meant(
        asked.input_items,
        0,
        settings,
        True,
        string_at(body, "previous_response_id") if isinstance(body, dict) else None,
        asked.kind is RequestKind.APPEND,
    )


class Meanings:
    """Tells what the requests of one session meant."""

    def __init__(self, reader: TapeReader, index: IndexReader, session: Session) -> None:
        self._reader = reader
        self._index = index
        attempts = [each.attempt for each in session.tries]
        self._by_response = {each.response_id: each for each in attempts if each.response_id}
        self._before = _before_on_socket(attempts)

    def asked(self, attempt: Attempt) -> Asked:
        """What was asked with this attempt, as it was sent."""
        exchange = self._index.exchange(attempt.exchange)
        return asked_of(self._reader, exchange, attempt, self._index)

    def meant(self, attempt: Attempt) -> Meant:
        """What was meant by it."""
        own = as_sent(self.asked(attempt))
        before: list[Any] = []
        settings, step, link = own.settings, attempt, own
        for _ in range(_LONGEST_CHAIN):
            if not link.goes_on:
                items = [*before, *own.items]
                return Meant(items, len(before), settings, True, own.continues, own.is_addition)
            base = self._base(step, link)
            if base is None:
                break
            # A client may repeat what the answer said, in its own words for it.
            repeated = set(map(said_in, (*before, *own.items)))
            said = [item for item in self._said(base) if said_in(item) not in repeated]
            step, link = base, as_sent(self.asked(base))
            before = [*link.items, *said, *before]
            if own.is_addition and not link.is_addition and settings is own.settings:
                # An addition names no settings: those of the request that it adds to hold.
                settings = link.settings
        return Meant(own.items, 0, own.settings, False, own.continues, own.is_addition)

    def _base(self, attempt: Attempt, link: Meant) -> Attempt | None:
        if link.continues is not None:
            return self._by_response.get(link.continues)
        return self._before.get((attempt.exchange, attempt.message))

    def _said(self, attempt: Attempt) -> list[Any]:
        """The items of the answer: those that were done, else those that its end repeats."""
        only = Only(types=_TELLING)
        said: list[Any] = []
        repeated: list[Any] = []
        until_us = attempt.ended_at_us or attempt.until_us or attempt.last_event_us or 0
        for stretch in self._index.stretches_since(attempt.at_us, {attempt.exchange}, only):
            if stretch.at_us > until_us:
                break
            for crossing in self._index.crossings(stretch):
                if attempt.at_us <= crossing.at_us <= until_us and crossing.type in _TELLING:
                    match parse_event(crossing.text or ""):
                        case ItemDone(item=item):
                            said.append(item)
                        case Lifecycle(raw=raw):
                            output = object_at(raw, "response").get("output")
                            repeated = output if isinstance(output, list) else []
        return said or repeated


def said_in(item: Any) -> str:
    """Text by which an item is known again: what it says, not what the server calls it."""
    if isinstance(item, dict):
        # A field that is null says nothing; one side writes it, and the other leaves it out.
        item = {
            key: value for key, value in item.items() if key not in NOT_SAID and value is not None
        }
    return key_of(item)


def key_of(value: Any) -> str:
    """Text by which equal JSON is told; unlike ``==`` it tells ``true`` from 1."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError:
        return f"nested too deeply: {id(value)}"


def _before_on_socket(attempts: list[Attempt]) -> Mapping[tuple[int, int | None], Attempt]:
    """The attempt before each one on its socket."""
    before: dict[tuple[int, int | None], Attempt] = {}
    last: dict[int, Attempt] = {}
    for attempt in sorted(attempts, key=lambda each: (each.exchange, each.message or 0)):
        if attempt.exchange in last:
            before[attempt.exchange, attempt.message] = last[attempt.exchange]
        last[attempt.exchange] = attempt
    return before
