"""Facts into sessions, turns, requests and attempts, each with the evidence it rests on.

What is recorded is certain: bytes, times, ends, and what the client says of itself. That one
attempt retries another, or follows up on a tool, is inferred (see ``reasons``).
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.attempts import Observed, attempts_of
from wiretape.client.dialects import dialect_for, versions_of
from wiretape.facts import header
from wiretape.origins import Role
from wiretape.reasons import (
    ITEM_DONE,
    Past,
    Why,
    is_another_try,
    reason_to_ask,
    reason_to_try_again,
)
from wiretape.said import Outcome
from wiretape.sessions import Request, Session, Try
from wiretape.spot import Spot
from wiretape.store_reader import TapeReader
from wiretape.threads import Thread, Threads
from wiretape.tool_uses import ToolLedger

_UNFINISHED = 8
"""So many unanswered requests of a session may wait for another try at the same time."""


def sessions_of(reader: TapeReader) -> list[Session]:
    """The sessions on a tape, in the order in which they began.

    A conversation of which the tape holds no attempt but sockets that nothing was asked on is
    none.
    """
    threads, ledger = Threads(), ToolLedger()
    places: dict[Thread, _Place] = {}
    unnamed: list[tuple[str | None, Observed]] = []
    for client, seen in _by_time(reader, ledger):
        if seen.attempt.kind is RequestKind.UPGRADE and seen.attempt.session is None:
            # It may be anybody's; the next request without a name is likely what it was for.
            unnamed.append((client, seen))
            continue
        thread = threads.thread_of(seen)
        name = thread if isinstance(thread, str) else None
        place = places.setdefault(thread, _Place(Session(name, client)))
        if name is None:
            for _, refused in unnamed:
                place.add(refused, client)
            unnamed.clear()
        place.add(seen, client)
        ledger.take(thread, seen)
    # A refusal that nobody is known to have asked for stands in a script, for whoever may ask.
    left = [each for each in unnamed if each[0] is not None or not places]
    for client, refused in left:
        places.setdefault(0, _Place(Session(None, client))).add(refused, client)
    for thread, place in places.items():
        place.settle()
        place.session.tools = ledger.uses(thread)
    found = [place.session for place in places.values() if place.session.requests]
    found.sort(key=lambda session: session.at_us)
    for number, session in enumerate(found, start=1):
        session.number = number
        session.client = session.client or _client_shown(reader, session)
    return found


def _client_shown(reader: TapeReader, session: Session) -> str | None:
    """The client, by the first request, where none names it: a Codex is known by its handshake."""
    exchange = reader.exchange(session.tries[0].attempt.exchange)
    dialect = None if exchange is None else dialect_for(exchange.request.headers)
    return None if dialect is None else f"codex/{versions_of(dialect)} (told by its handshake)"


def _by_time(reader: TapeReader, ledger: ToolLedger) -> Iterator[tuple[str | None, Observed]]:
    found: list[tuple[str | None, Observed]] = []
    for exchange in reader.exchanges():
        client = header(exchange.request.headers, "user-agent")
        for seen in attempts_of(reader, exchange):
            ledger.repeat(seen)
            # Every input repeats the calls before it: kept, they would grow with the square.
            found.append((client, replace(seen, repeated=())))
    found.sort(key=lambda pair: (pair[1].attempt.at_us, pair[1].attempt.exchange))
    return iter(found)


class _Place:
    """Where the attempts of one session are put, in the order of their times."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._waiting: list[Observed] = []
        self._unfinished: list[tuple[Request, Observed]] = []
        self._last: Observed | None = None
        self._is_begun = False
        self._calls: dict[str, Spot] = {}
        self._answered: set[str] = set()
        self._turn_id: str | None = None
        self._response_ids: set[str] = set()

    def add(self, seen: Observed, client: str | None) -> None:
        """Puts an attempt where it belongs."""
        session, attempt = self.session, seen.attempt
        session.client = session.client or client
        session.model = session.model or attempt.model
        session.parent = session.parent or seen.origin.parent
        session.agent = session.agent or seen.origin.agent
        if attempt.kind is not RequestKind.UPGRADE:
            self._place(seen)
        elif attempt.outcome is not Outcome.CONNECTED:
            # It carried no request; the next one that does says what it was for.
            self._waiting.append(seen)

    def settle(self) -> None:
        """The tape is over: what waited for a request has had none, and turns can be told."""
        if self._waiting:
            last = self._waiting.pop()
            self._try(self._begin(), last)
        for request in self.session.requests:
            _number_retries(request)
        _number_turns(self.session.requests)

    def _place(self, seen: Observed) -> None:
        attempt = seen.attempt
        again = (
            each
            for each in reversed(self._unfinished)
            if is_another_try(seen, each[1], is_next=each[1] is self._last)
        )
        found = next(again, None)
        if found is not None:
            self._unfinished.remove(found)
        request, asked = found or (self._begin(), None)
        self._try(request, seen, asked)
        if attempt.outcome is not Outcome.COMPLETED:
            self._unfinished = [*self._unfinished[1 - _UNFINISHED :], (request, seen)]
        self._is_begun = self._is_begun or attempt.role is not Role.WARM_UP
        self._turn_id = attempt.turn_id or self._turn_id
        self._last = seen
        if seen.input is not None:
            answered = (each.call_id for each in seen.input.new_outputs)
            self._answered.update(self._calls if seen.input.says_nothing else answered)
        for made in seen.calls:
            spot = Spot(attempt.exchange, made.at_us, ITEM_DONE, attempt.message)
            self._calls[made.call.call_id] = spot
        if attempt.response_id is not None:
            self._response_ids.add(attempt.response_id)

    def _begin(self) -> Request:
        request = Request(len(self.session.requests) + 1)
        self.session.requests.append(request)
        return request

    def _try(self, request: Request, seen: Observed, asked: Observed | None = None) -> None:
        """Adds a try, and the refused upgrades before it; ``asked`` asked for the same."""
        for each in (*self._waiting, seen):
            before = [tried.attempt for tried in request.tries]
            reason = (
                reason_to_try_again(each, request.number, before, asked)
                if before
                else reason_to_ask(seen, self._past())
            )
            request.tries.append(Try(each.attempt, reason.why, reason.evidence, reason.spot))
        self._waiting.clear()

    def _past(self) -> Past:
        return Past(self._is_begun, self._calls, self._answered, self._response_ids, self._turn_id)


def _number_retries(request: Request) -> None:
    """Counts the retries over each transport, which is how the client's budget counts them."""
    counts: Counter[Transport] = Counter()
    for at, each in enumerate(request.tries):
        if each.why is Why.RETRY:
            counts[each.attempt.transport] += 1
            request.tries[at] = replace(each, number=counts[each.attempt.transport])


def _number_turns(requests: list[Request]) -> None:
    """A turn goes on while the client names the same one; if it names none, until something new
    is asked for."""
    turn, turn_id, before = 0, None, None
    for request in requests:
        if before is None or _begins_turn(request, before, turn_id):
            turn, turn_id = turn + 1, None
        request.turn, before = turn, request
        turn_id = turn_id or request.turn_id


def _begins_turn(request: Request, before: Request, turn_id: str | None) -> bool:
    if request.turn_id is not None and turn_id is not None:
        return request.turn_id != turn_id
    if before.role is Role.WARM_UP:
        # It prepared this request, or another warm-up does so again.
        return False
    match request.tries[0].why:
        case Why.TOOL_FOLLOW_UP:
            return False
        case Why.RESUMED:
            return before.role is not Role.COMPACTION
        case _:
            # The older client compacts in the middle of a turn, and does not name it.
            return request.role is not Role.COMPACTION
