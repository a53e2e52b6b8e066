"""One request as an attempt sent it: heads, body, and what is new since the request before."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from inspector_web.addresses import BadAddress
from inspector_web.answered import answer_body
from inspector_web.difference import Difference, difference_of
from inspector_web.entries import Answered, answered
from inspector_web.had import Had, had
from inspector_web.health import SEVERITIES, Tone
from inspector_web.index.reader import IndexReader
from inspector_web.json_view import Token
from inspector_web.meant import Meanings, Meant
from inspector_web.overview import AttemptPlace, Overview
from inspector_web.pages.attempt import AttemptRow, attempt_rows
from inspector_web.pages.event import SHOWN_CHARACTERS, layout_of
from inspector_web.pages.head import SessionHead, head_of
from inspector_web.twins import HTML_ONLY
from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.errors import UsageError
from wiretape.facts import Headers
from wiretape.sessions import Try
from wiretape.store_reader import Exchange, TapeReader


@dataclass(frozen=True, slots=True)
class ToldFinding:
    """A finding that rests on this attempt."""

    tone: Tone
    what: str
    advice: str


RECORDED: Final = "recorded"
"""What an address asks for that wants a request of a replay beside the recorded one."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The attempt in a recording that one of its replay belongs to, by session and place.

    ``source`` is the recording as the replay's tape tells it, ``tape`` its name among the tapes.
    ``missing`` is a sentence that says why there is no such attempt.
    """

    source: str
    tape: str | None
    session: int | None = None
    place: AttemptPlace | None = None
    missing: str = ""
    meant: Meant | None = field(default=None, metadata=HTML_ONLY)


@dataclass(frozen=True, slots=True)
class RequestPage:
    """An attempt's request. ``line`` is its method and address, ``status_line`` the answer's.

    ``recorded`` is what it belongs to in the recording, where its tape is a replay; of that, only
    the tape is told unless the address asks for more.

    ``answer`` is what the server said, as people read it, and ``answer_body`` the beginning of what
    came where that was no stream of events.

    ``body`` is the text with its content coding removed, cut if ``is_cut``. ``difference`` is to
    the recorded attempt, if that is found, else to the attempt at ``compared_to``: the one before
    unless another is asked for (``is_chosen``), and none for the first that asks something.
    ``problem`` is the next attempt that a finding rests on. ``had`` is all that the model had, if
    something was asked.
    """

    session: SessionHead
    attempt: AttemptRow
    tries: int
    answer: Answered
    answer_body: str
    answer_layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    line: str
    upstream: str | None
    request_headers: Headers
    status_line: str | None
    response_headers: Headers
    body: str
    body_bytes: int
    is_cut: bool
    layout: tuple[Token, ...] = field(metadata=HTML_ONLY)
    compared_to: AttemptPlace | None
    is_chosen: bool
    difference: Difference | None
    previous: AttemptPlace | None
    next: AttemptPlace | None
    previous_turn: AttemptPlace | None
    next_turn: AttemptPlace | None
    findings: tuple[ToldFinding, ...]
    problem: AttemptPlace | None
    recorded: Recorded | None
    had: Had | None


def request_page(
    tape: str,
    overview: Overview,
    reader: TapeReader,
    index: IndexReader,
    session: int,
    place: AttemptPlace,
    given: Mapping[str, str],
    recorded: Recorded | None = None,
) -> RequestPage:
    """The page of the attempt at that place, compared with the one that is ``to`` in ``given``.

    Raises:
        NoSuchSession, UsageError: there is none.
    """
    head = head_of(tape, overview, session)
    tries = overview.session(session).tries
    rows = attempt_rows(overview.session(session))
    places = [AttemptPlace(row.request, row.number) for row in rows]
    turns = [AttemptPlace(turn.requests[0].number, 1) for turn in overview.session(session).turns]
    at = tries.index(_try_at(overview, session, place))
    attempt = tries[at].attempt
    meanings = Meanings(reader, index, overview.session(session))
    exchange, asked = index.exchange(attempt.exchange), meanings.asked(attempt)
    to = given.get("to", "").strip()
    if recorded is not None and to == RECORDED:
        to = ""
    chosen = _chosen(to, places) if asked.raw else None
    compared = _asked_before(rows, at) if asked.raw and chosen is None else chosen
    before = None if compared is None else meanings.meant(tries[compared].attempt)
    if asked.raw and recorded is not None and recorded.meant is not None:
        compared, before = None, recorded.meant
    meant = meanings.meant(attempt) if asked.raw else None
    response = exchange.response
    text = asked.raw.decode("utf-8", "replace")
    answer_body_text = answer_body(index, attempt, SHOWN_CHARACTERS)
    return RequestPage(
        head,
        rows[at],
        sum(each.request == place.request for each in places),
        answered(index, attempt),
        answer_body_text,
        layout_of(answer_body_text),
        f"{exchange.request.method} {_url(exchange)} {exchange.request.http_version}",
        exchange.request.upstream,
        exchange.request.headers,
        None if response is None else f"{response.status} {response.reason}".rstrip(),
        () if response is None else response.headers,
        text[:SHOWN_CHARACTERS],
        len(asked.raw),
        len(text) > SHOWN_CHARACTERS,
        layout_of(text),
        None if compared is None else places[compared],
        chosen is not None,
        None if before is None or meant is None else difference_of(before, meant),
        places[at - 1] if at else None,
        places[at + 1] if at + 1 < len(places) else None,
        next((each for each in reversed(turns) if rows[at].turn > _turn(rows, each)), None),
        next((each for each in turns if rows[at].turn < _turn(rows, each)), None),
        tuple(_findings(overview, session, place)),
        _next_problem(overview, session, place),
        recorded,
        None if meant is None else had(meant),
    )


def _chosen(text: str, places: list[AttemptPlace]) -> int | None:
    """Which attempt ``2`` or ``2.3`` names: a request's last one, or its third.

    Raises:
        BadAddress: it names none, or nothing.
    """
    if not text:
        return None
    request, _, number = text.partition(".")
    found = [
        at
        for at, each in enumerate(places)
        if str(each.request) == request and number in ("", str(each.number))
    ]
    if not found or text.endswith("."):
        raise BadAddress(
            f"to is {text[:40]!r}: it has to be a request of this session, as 2, or an attempt at "
            "one, as 2.3."
        )
    return found[-1]


def _turn(rows: list[AttemptRow], place: AttemptPlace) -> int:
    return next(row.turn for row in rows if (row.request, row.number) == (place.request, 1))


def _findings(overview: Overview, session: int, place: AttemptPlace) -> Iterator[ToldFinding]:
    for told in overview.told_of(session):
        if any(each.place == place for each in told.evidence):
            finding = told.finding
            yield ToldFinding(SEVERITIES[finding.severity], finding.what, finding.advice)


def _next_problem(overview: Overview, session: int, place: AttemptPlace) -> AttemptPlace | None:
    places = (
        each.place
        for told in overview.told_of(session)
        if told.finding.session == session
        for each in told.evidence
        if each.place is not None
    )
    here = (place.request, place.number)
    later = [each for each in places if (each.request, each.number) > here]
    return min(later, key=lambda each: (each.request, each.number), default=None)


def attempt_at(overview: Overview, session: int, place: AttemptPlace) -> Attempt:
    """The attempt at that place.

    Raises:
        NoSuchSession, UsageError: there is none.
    """
    return _try_at(overview, session, place).attempt


def _try_at(overview: Overview, session: int, place: AttemptPlace) -> Try:
    for request in overview.session(session).requests:
        if request.number == place.request and 1 <= place.number <= len(request.tries):
            return request.tries[place.number - 1]
    raise UsageError(
        f"session {session} has no attempt {place.number} at a request {place.request}: its "
        "timeline has those that are."
    )


def _asked_before(rows: list[AttemptRow], at: int) -> int | None:
    """The last attempt before it that asked something: the handshake of a socket does not."""
    earlier = (n for n in range(at - 1, -1, -1) if rows[n].kind is not RequestKind.UPGRADE)
    return next(earlier, None)


def _url(exchange: Exchange) -> str:
    request = exchange.request
    return f"{request.scheme}://{request.host}:{request.port}{request.target}"
