"""Puts the comparison of two sessions together, from the first turn to the last."""

import json
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from wiretape.alignment import Keys, aligned
from wiretape.asked import Asked, RequestKind
from wiretape.comparing.answers import Answer
from wiretape.comparing.left_out import ID, comparable, left_out, without_volatile
from wiretape.comparing.pairs import AttemptPair, Comparison, EventPair, RequestPair, TurnPair
from wiretape.comparing.reading import Side
from wiretape.comparing.transports import TRANSPORT, bare, form, is_framing, without_transport
from wiretape.digests import digest
from wiretape.ignoring import Ignored
from wiretape.inputs import Maker, maker_of
from wiretape.likeness import Correspondence, Difference, differences, value_differences
from wiretape.origins import Role
from wiretape.sessions import Request, Session, Try, Turn
from wiretape.store_reader import TapeReader
from wiretape.volatile import TEXT_RULES


def compare_sessions(
    a: Session,
    reader_a: TapeReader,
    b: Session,
    reader_b: TapeReader,
    ignored: Ignored | None = None,
) -> Comparison:
    """Session ``a`` beside session ``b``, each read from its tape. Nothing differs at the places
    that are ``ignored``."""
    comparing = _Comparing(Side(reader_a, a), Side(reader_b, b), ignored or Ignored())
    turns = tuple(comparing.turns(a.turns, b.turns))
    return Comparison(a, b, turns, tuple(sorted(comparing.left_out)))


def paired_attempts(
    a: Session, reader_a: TapeReader, b: Session, reader_b: TapeReader
) -> Iterator[tuple[Try | None, Try | None]]:
    """The attempts of two sessions that belong together, as in their comparison, in its order.
    ``None`` stands where one has no such attempt in a request that both have."""
    pairing = _Comparing(Side(reader_a, a), Side(reader_b, b), Ignored())
    for turn_a, turn_b in pairing.turn_pairs(a.turns, b.turns):
        if turn_a is not None and turn_b is not None:
            for one, other in pairing.request_pairs(turn_a.requests, turn_b.requests):
                if one is not None and other is not None:
                    yield from pairing.attempt_pairs(one.tries, other.tries)


class _Comparing:
    """A comparison under way: which id stands for which, and what was left out so far."""

    def __init__(self, a: Side, b: Side, ignored: Ignored) -> None:
        self._a = a
        self._b = b
        self._ids = Correspondence(pattern=ID, ignored=ignored)
        self.left_out: set[str] = set()

    def _pairs[T](
        self, a: Sequence[T], b: Sequence[T], key: Callable[[Side, T], Keys]
    ) -> Iterator[tuple[T | None, T | None]]:
        keys_a, keys_b = [key(self._a, each) for each in a], [key(self._b, each) for each in b]
        for one, other in aligned(keys_a, keys_b):
            yield None if one is None else a[one], None if other is None else b[other]

    def turn_pairs(
        self, a: Sequence[Turn], b: Sequence[Turn]
    ) -> Iterator[tuple[Turn | None, Turn | None]]:
        return self._pairs(a, b, self._turn_key)

    def request_pairs(
        self, a: Sequence[Request], b: Sequence[Request]
    ) -> Iterator[tuple[Request | None, Request | None]]:
        return self._pairs(a, b, self._request_key)

    def attempt_pairs(
        self, a: Sequence[Try], b: Sequence[Try]
    ) -> Iterator[tuple[Try | None, Try | None]]:
        return self._pairs(a, b, _attempt_key)

    def turns(self, a: Sequence[Turn], b: Sequence[Turn]) -> Iterator[TurnPair]:
        for one, other in self.turn_pairs(a, b):
            requests = (() if each is None else each.requests for each in (one, other))
            yield TurnPair(one, other, tuple(self._requests(*requests)))

    def _requests(self, a: Sequence[Request], b: Sequence[Request]) -> Iterator[RequestPair]:
        for one, other in self.request_pairs(a, b):
            if one is None or other is None:
                yield RequestPair(one, other, is_framing=self._is_framing(one, other))
            else:
                pairs = self.attempt_pairs(one.tries, other.tries)
                yield RequestPair(one, other, tuple(self._attempt(*pair) for pair in pairs))

    def _attempt(self, a: Try | None, b: Try | None) -> AttemptPair:
        if a is None or b is None:
            return AttemptPair(a, b, is_framing=self._is_framing(a, b))
        asked_a, answer_a = self._a.read(a.attempt)
        asked_b, answer_b = self._b.read(b.attempt)
        says_a, says_b = answer_a.says, answer_b.says
        is_other = a.attempt.transport is not b.attempt.transport
        if is_other:
            self.left_out.add(TRANSPORT)
            says_a, says_b = without_transport(says_a), without_transport(says_b)
        if is_other or not (asked_a.headers and asked_b.headers):
            # One is not the first on its socket: nothing was said in headers.
            asked_a, asked_b = replace(asked_a, headers=()), replace(asked_b, headers=())
        self.left_out.update(left_out(asked_a, asked_b))
        if form(asked_a) != form(asked_b):
            asked_a, asked_b = self._a.meant(a.attempt, asked_a), self._b.meant(b.attempt, asked_b)
        asked = self._asked(bare(asked_a), bare(asked_b))
        answered = value_differences("answer", says_a, says_b, self._ids)
        return AttemptPair(a, b, tuple(asked), tuple(answered), tuple(_events(answer_a, answer_b)))

    def _asked(self, a: Asked, b: Asked) -> Iterator[Difference]:
        if (a.kind is RequestKind.UPGRADE) is (b.kind is RequestKind.UPGRADE):
            # Where only one was refused as a handshake, it had not come to ask for anything.
            yield from differences(comparable(a), comparable(b), self._ids)

    def _is_framing(self, a: Request | Try | None, b: Request | Try | None) -> bool:
        """Whether the one of them that is there is the transport's: the other session has none
        such, as it has no sockets."""
        alone, other = (a, self._b) if a is not None else (b, self._a)
        tries = alone.tries if isinstance(alone, Request) else [alone]
        found = not other.has_sockets and all(is_framing(each.attempt) for each in tries if each)
        if found:
            self.left_out.add(TRANSPORT)
        return found

    def _turn_key(self, side: Side, turn: Turn) -> Keys:
        """A turn is told by what it begins with; else by its place."""
        return beginning(side, turn.requests), None

    def _request_key(self, side: Side, request: Request) -> Keys:
        """A request is told by what it says after the model's last word; else by its part."""
        return _newly_said(side, request), request.role


def beginning(side: Side, requests: Sequence[Request]) -> Hashable:
    """What the first request says that is no warm-up: by this, turns and sessions are told."""
    telling = (each for each in requests if each.role is not Role.WARM_UP)
    return _newly_said(side, next(telling, requests[0]))


def _newly_said(side: Side, request: Request) -> Hashable:
    asked = side.asked(request.last)
    items = side.meant(request.last, asked).input_items
    said = (at for at, item in enumerate(items, 1) if maker_of(item) is Maker.MODEL)
    return request.role, _likely_same(items[max(said, default=0) :][-_MOST_ITEMS:])


_MOST_ITEMS: Final = 8
"""The last items tell a request: what a client says in one go is seldom more."""


def _attempt_key(_: Side, each: Try) -> Keys:
    """An attempt is told by what came of it over its transport; else over any, or by its
    transport alone; else by whether anything was asked."""
    attempt = each.attempt
    is_asked = attempt.kind is not RequestKind.UPGRADE
    return (
        (attempt.transport, attempt.kind, attempt.outcome),
        attempt.outcome,
        (attempt.transport, attempt.kind),
        is_asked,
    )


def _likely_same(value: Any) -> str:
    """A digest that values share which differ in nothing but ids and what is volatile."""
    # The rules are for texts as they read: in JSON a line would begin with the n of its \n.
    text = json.dumps(without_volatile(value), sort_keys=True).replace("\\n", "\n")
    for rule in TEXT_RULES:
        text = rule.pattern.sub(rule.stand_in, text)
    return digest(ID.sub("", text))


def _events(a: Answer, b: Answer) -> Iterator[EventPair]:
    types = [[(run.type,) for run in answer.events] for answer in (a, b)]
    for one, other in aligned(types[0], types[1]):
        yield EventPair(
            None if one is None else a.events[one], None if other is None else b.events[other]
        )
