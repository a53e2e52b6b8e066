"""What became of tool calls."""

from collections.abc import Callable, Iterator

from wiretape.diagnosis.case import Case
from wiretape.diagnosis.limits import MANY_ROUNDS, MOST_ROUNDS, SAME_CALL_ID
from wiretape.diagnosis.reading import MOST_SPOTS
from wiretape.diagnosis.sighting import Sighting
from wiretape.reasons import Why
from wiretape.said import Outcome
from wiretape.sessions import Request, Session, Turn
from wiretape.spot import Spot
from wiretape.tool_uses import ToolUse, spot_of_asking
from wiretape.words import counted


def outputs_without_call(case: Case) -> Iterator[Sighting]:
    """An output whose call the server cannot know of."""
    for session in case.sessions:
        is_known = _is_known_whole(case, session)
        for use in session.tools:
            spot = use.sent_without_call
            if spot is None and is_known and use.call is None:
                spot = use.outputs[0].spot
            if spot is not None:
                what = f"the output of {_name(use)} was sent without its call"
                yield _of(session, spot, what, [spot, *_calls(use)])


def calls_unanswered(case: Case) -> Iterator[Sighting]:
    """A call that the client never answered, though it asked on or could have."""
    return _unanswered(case, lambda request, turn: not _is_one_follow_up(request, turn))


def single_follow_ups(case: Case) -> Iterator[Sighting]:
    """A tool loop that stopped after its first round."""
    return _unanswered(case, _is_one_follow_up)


def calls_repeated(case: Case) -> Iterator[Sighting]:
    """A call with more outputs than it was made times."""
    for session in case.sessions:
        for use in session.tools:
            given = max(len(use.outputs), use.most_in_one_input)
            if given > max(1, len(use.calls)):
                what = f"{_name(use)} was called once and answered {given} times"
                spots = [*_calls(use), *(seen.spot for seen in use.outputs)]
                yield _of(session, use.outputs[-1].spot, what, spots)


def tool_loops(case: Case) -> Iterator[Sighting]:
    """A turn near the most rounds that a loop may have, or a call that is made for ever."""
    for session in case.sessions:
        for turn in session.turns:
            rounds = [each for each in turn.requests if each.tries[0].why is Why.TOOL_FOLLOW_UP]
            if len(rounds) >= MANY_ROUNDS:
                what = f"{len(rounds)} rounds of tools in one turn; a loop ends at {MOST_ROUNDS}"
                spots = (spot_of_asking(rounds[-1].last),)
                yield Sighting(what, spots, session, rounds[-1])
        for use in session.tools:
            if len(use.calls) >= SAME_CALL_ID:
                what = f"{_name(use)} was called {len(use.calls)} times by the same call id"
                yield _of(session, use.calls[-1].spot, what, _calls(use))


def _unanswered(case: Case, is_wanted: Callable[[Request, Turn], bool]) -> Iterator[Sighting]:
    """The calls that were not answered, of each request that ``is_wanted``."""
    for session in case.sessions:
        if not _runs_tools(case, session) or _is_torn(case, session):
            continue
        turns = {turn.number: turn for turn in session.turns}
        for request, uses in _open_calls(case, session):
            if is_wanted(request, turns[request.turn]):
                names = ", ".join(_name(use) for use in uses)
                was_last = request is session.requests[-1]
                then = "nothing more was asked" if was_last else "it was not among what followed"
                what = f"{counted(len(uses), 'call')} without an output: {names}; {then}"
                spots = [spot for use in uses for spot in _calls(use)]
                yield Sighting(what, tuple(spots[:MOST_SPOTS]), session, request)


def _is_known_whole(case: Case, session: Session) -> bool:
    """Whether every call of a session must be on the tape: from its beginning, without a gap."""
    first = session.tries[0]
    begins_here = first.attempt.is_whole_input and first.why is not Why.RESUMED
    return begins_here and not _is_torn(case, session)


def _runs_tools(case: Case, session: Session) -> bool:
    """Whether the client answers calls: Codex does; another may want the call for an answer."""
    is_codex = any(each.attempt.exchange in case.codex for each in session.tries)
    return is_codex or any(use.outputs for use in session.tools)


def _open_calls(case: Case, session: Session) -> Iterator[tuple[Request, list[ToolUse]]]:
    """Requests whose answer is complete and holds calls that were never answered.

    Not those of an answer that failed, which the client drops; not the last ones of a recording
    that stopped while the tools ran, as an open socket or a tape that was not closed shows.
    """
    places = {
        (each.attempt.exchange, each.attempt.message): (request, each.attempt)
        for request in session.requests
        for each in request.tries
    }
    found: dict[int, tuple[Request, list[ToolUse]]] = {}
    for use in session.tools:
        if use.outputs or not use.calls:
            continue
        spot = use.calls[-1].spot
        request, attempt = places.get((spot.exchange, spot.message), (None, None))
        if request is None or attempt is None or attempt.outcome is not Outcome.COMPLETED:
            continue
        is_last = request is session.requests[-1]
        if is_last and (attempt.exchange in case.stopped or not case.is_closed):
            continue
        found.setdefault(request.number, (request, []))[1].append(use)
    return iter(found.values())


def _is_torn(case: Case, session: Session) -> bool:
    """Whether the recorder lost something on the session's way, be it a whole message."""
    exchanges = {None, *(each.attempt.exchange for each in session.tries)}
    return any(gap.exchange in exchanges for gap in case.gaps)


def _is_one_follow_up(request: Request, turn: Turn) -> bool:
    rounds = [each for each in turn.requests if each.tries[0].why is Why.TOOL_FOLLOW_UP]
    return len(rounds) == 1 and rounds[0] is request and turn.requests[-1] is request


def _calls(use: ToolUse) -> list[Spot]:
    return [seen.spot for seen in use.calls[:MOST_SPOTS]]


def _name(use: ToolUse) -> str:
    if use.call is None:
        return f"call {use.call_id}"
    server = f"{use.call.server}." if use.call.server else ""
    return f"{server}{use.call.name} (call {use.call_id})"


def _of(session: Session, spot: Spot, what: str, evidence: list[Spot]) -> Sighting:
    """A sighting of the request that the spot belongs to."""
    request = next(
        (
            request
            for request in session.requests
            for each in request.tries
            if (each.attempt.exchange, each.attempt.message) == (spot.exchange, spot.message)
        ),
        None,
    )
    return Sighting(what, tuple(evidence), session, request)
