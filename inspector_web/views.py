"""Addresses to pages: read what is needed, build the page, lay it out or give its JSON twin."""

import re
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Final

from flask import Blueprint, Response, g, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from inspector_web import exports
from inspector_web.addresses import check_once
from inspector_web.asking import sent_with
from inspector_web.beside import compared, recorded_request
from inspector_web.folds import Folds
from inspector_web.growth import Growth, ListGrowth, TapeGrowth, list_state, told
from inspector_web.index.reader import IndexReader
from inspector_web.overview import AttemptPlace
from inspector_web.pages.again import AgainPage, AgainQuery, again_page
from inspector_web.pages.compare import ComparePage, CompareQuery
from inspector_web.pages.event import EventPage, event_page
from inspector_web.pages.events import EventsPage, EventsQuery, FoundPage, events_page, found_page
from inspector_web.pages.received import ReceivedPage, received_page
from inspector_web.pages.request import RECORDED, RequestPage, attempt_at, request_page
from inspector_web.pages.search import SearchedTape, SearchPage, SearchQuery, search_page
from inspector_web.pages.session import SessionPage, session_page
from inspector_web.pages.sessions import SessionsPage, SessionsQuery, sessions_page
from inspector_web.pages.turn import TurnPage, turn_page
from inspector_web.raw import raw_event, raw_response
from inspector_web.reader import (
    growth_seen,
    library,
    mark,
    open_index,
    open_overview,
    open_path,
    open_tape,
    overview_so_far,
    shelf,
    sides_seen,
    standing,
)
from inspector_web.readings import Look
from inspector_web.setting import place_for_replays, setting_of
from inspector_web.shelf import timeline_on
from inspector_web.twins import twin
from wiretape.errors import UsageError
from wiretape.store_presence import is_being_written
from wiretape.store_reader import Exchange, TapeReader

_ATTEMPT: Final = (
    "/tapes/<tape>/sessions/<int:session>/requests/<int:number>/attempts/<int:attempt>"
)

_LISTS_IN_PATIENCE: Final = 5
"""So much shorter what lists all tapes waits for them to be read."""

pages = Blueprint("pages", __name__)


def _page[Page, **Where](
    rule: str,
) -> Callable[[Callable[Where, Page]], Callable[Where, Page]]:
    """Serves what the function builds at ``rule`` as HTML, and at ``rule.json`` as its twin."""

    def register(build: Callable[Where, Page]) -> Callable[Where, Page]:
        name = build.__name__

        def as_html(*args: Where.args, **kwargs: Where.kwargs) -> str:
            return render_template(f"{name}.html", page=build(*args, **kwargs))

        def as_json(*args: Where.args, **kwargs: Where.kwargs) -> Response:
            told = twin(build(*args, **kwargs))
            stands = standing()
            return jsonify(told if stands is None else told | {"standing": twin(stands)})

        pages.add_url_rule(rule, name, as_html)
        pages.add_url_rule(f"{rule}.json", f"{name}_json", as_json)
        return build

    return register


@pages.before_request
def read_address() -> None:
    check_once(request.args)
    g.folds = Folds.parse(request.args)


@pages.get("/")
def start() -> AnyResponse:
    return redirect("/sessions")


@_page("/sessions")
def sessions() -> SessionsPage:
    looks = _looks()
    g.live = _live_list(looks)
    named = [(name, look) for name, _, look in looks]
    growing = [name for name, path, _ in looks if is_being_written(path)]
    return sessions_page(SessionsQuery.parse(request.args), named, growing)


def _live_list(looks: Iterable[tuple[str, Path, Look]]) -> str:
    """Where a page that shows these hears of what is new on any tape."""
    state = list_state((path, look) for _, path, look in looks)
    return url_for("pages.list_growth", seen=state)


def _looks() -> list[tuple[str, Path, Look]]:
    """What is known of every tape, after waiting for all of them together a little: such a page
    says which are still being read, and is told when they are."""
    until_s = time.monotonic() + shelf().patience_s / _LISTS_IN_PATIENCE
    return [
        (name, path, shelf().glance(path, max(0.0, until_s - time.monotonic())))
        for name, path in library().tapes().items()
    ]


@_page("/search")
def search() -> SearchPage:
    query = SearchQuery.parse(request.args)
    looks = sorted(_looks(), key=_newest_first) if query.text else []

    if looks:
        g.live = _live_list(looks)
    return search_page(
        query,
        [
            SearchedTape(name, look, partial(_opened_if, path, look))
            for name, path, look in looks
            if look.error is None
        ],
    )


def _opened_if(path: Path, look: Look, letters: str | None) -> IndexReader | None:
    """The index of a tape that can hold these letters."""
    return open_index(open_path(path)) if shelf().may_hold(path, look, letters) else None


def _newest_first(named: tuple[str, Path, Look]) -> tuple[int, str]:
    """Tapes that are not read yet come last: it is not known when they began."""
    name, _, look = named
    return 0 if look.overview is None else -look.overview.label.started_at_us, name


@_page("/compare")
def compare() -> ComparePage:
    looks = _looks()
    page = compared(CompareQuery.parse(request.args), [(name, look) for name, _, look in looks])
    if page.a is None or page.b is None:
        g.live = _live_list(looks)
    elif seen := sides_seen():
        g.live = url_for("pages.compare_growth", a=page.a.tape, b=page.b.tape, seen=seen)
    return page


@_page("/tapes/<tape>/sessions/<int:number>")
def session(tape: str, number: int) -> SessionPage:
    reader = open_tape(tape)
    overview = open_overview(reader)
    timeline, index = timeline_on(overview, number), open_index(reader)
    return session_page(tape, overview, number, timeline, index, request.args)


@_page("/tapes/<tape>/sessions/<int:number>/received")
def received(tape: str, number: int) -> ReceivedPage:
    reader = open_tape(tape)
    overview = open_overview(reader)
    timeline, index = timeline_on(overview, number), open_index(reader)
    return received_page(tape, overview, number, timeline, index, request.args)


@_page("/tapes/<tape>/sessions/<int:session>/turns/<int:number>")
def turn(tape: str, session: int, number: int) -> TurnPage:
    reader = open_tape(tape)
    overview, index = open_overview(reader), open_index(reader)
    return turn_page(tape, overview, reader, index, session, number, request.args)


@_page("/tapes/<tape>/sessions/<int:session>/again")
def again(tape: str, session: int) -> AgainPage:
    reader = open_tape(tape)
    overview, index = open_overview(reader), open_index(reader)
    query = AgainQuery.parse(request.args)
    offers = exports.offers(reader, overview.session(session))
    setting, kept_in = setting_of(reader, overview), place_for_replays(reader.path)
    return again_page(tape, reader.path, overview, index, session, query, offers, setting, kept_in)


@_page("/tapes/<tape>/events")
def events(tape: str) -> EventsPage:
    reader = open_tape(tape)
    overview = overview_so_far(reader)
    began_us, query = reader.label().started_at_us, EventsQuery.parse(request.args)
    return events_page(
        tape, began_us, overview, open_index(reader), query, partial(shelf().counted, reader.path)
    )


@_page("/tapes/<tape>/events/found")
def events_found(tape: str) -> FoundPage:
    reader = open_tape(tape)
    overview, query = overview_so_far(reader), EventsQuery.parse(request.args)
    return found_page(
        tape, overview, open_index(reader), query, partial(shelf().counted, reader.path)
    )


@_page("/tapes/<tape>/exchanges/<int:exchange>/events/<int:position>")
def event(tape: str, exchange: int, position: int) -> EventPage:
    reader = open_tape(tape)
    _exchange(reader, exchange)
    overview = overview_so_far(reader)
    began_us = reader.label().started_at_us
    came_from = EventsQuery.parse_list(request.args)
    return event_page(tape, began_us, overview, open_index(reader), exchange, position, came_from)


@_page(_ATTEMPT)
def attempt(tape: str, session: int, number: int, attempt: int) -> RequestPage:
    reader = open_tape(tape)
    overview, index = open_overview(reader), open_index(reader)
    place = AttemptPlace(number, attempt)
    attempt_at(overview, session, place)
    is_wanted = request.args.get("to") == RECORDED
    recorded = recorded_request(reader, overview, session, place, is_wanted=is_wanted)
    return request_page(tape, overview, reader, index, session, place, request.args, recorded)


@pages.get("/tapes/<tape>/exchanges/<int:exchange>/events/<int:position>/raw")
def event_raw(tape: str, exchange: int, position: int) -> Response:
    reader = open_tape(tape)
    data = raw_event(reader, open_index(reader), _exchange(reader, exchange), position)
    if data is None:
        raise UsageError(f"event {position} of exchange {exchange} has no bytes to download.")
    return _download(data, f"{tape}-exchange-{exchange}-event-{position}")


@pages.get(f"{_ATTEMPT}/raw")
def attempt_raw(tape: str, session: int, number: int, attempt: int) -> Response:
    reader = open_tape(tape)
    place = AttemptPlace(number, attempt)
    found = attempt_at(open_overview(reader), session, place)
    data = sent_with(reader, _exchange(reader, found.exchange), found, open_index(reader))
    return _download(data, f"{tape}-session-{session}-request-{number}-attempt-{attempt}")


@pages.get("/tapes/<tape>/exchanges/<int:exchange>/response/raw")
def response_raw(tape: str, exchange: int) -> Response:
    reader = open_tape(tape)
    data = raw_response(reader, _exchange(reader, exchange))
    return _download(data, f"{tape}-exchange-{exchange}-response")


@pages.get("/growth")
def list_growth() -> Response:
    return _stream(ListGrowth(library().tapes().values(), shelf(), _seen()))


@pages.get("/compare/growth")
def compare_growth() -> Response:
    sides = dict.fromkeys(library().find(request.args.get(side, "")) for side in ("a", "b"))
    return _stream(TapeGrowth(tuple(sides), shelf(), _seen()))


@pages.get("/tapes/<tape>/growth")
def growth(tape: str) -> Response:
    is_of_facts = "facts" in request.args
    return _stream(TapeGrowth((library().find(tape),), shelf(), _seen(), is_of_facts))


def _seen() -> str:
    """The state that the browser knows of: it says so when it comes back, the address at first."""
    return request.headers.get("Last-Event-ID") or request.args.get("seen", "")


def _stream(growth: Growth) -> Response:
    return Response(told(growth), mimetype="text/event-stream")


@pages.app_context_processor
def live() -> dict[str, object]:
    """How the page that is laid out stands to its tape, and where it hears that it has grown."""
    if "live" in g:
        return {"live": g.live, "standing": None}
    tape = (request.view_args or {}).get("tape")
    is_of_facts = request.endpoint in _OF_FACTS
    seen = growth_seen(is_of_facts=is_of_facts)
    if tape is None or seen is None:
        return {"live": None, "standing": standing()}
    facts = 1 if is_of_facts else None
    live = url_for("pages.growth", tape=tape, seen=seen, facts=facts)
    return {"live": live, "standing": standing()}


@pages.app_context_processor
def which_tape() -> dict[str, str | None]:
    """What the parts of a page are known by to be of one tape."""
    return {"mark": mark()}


_OF_FACTS = ("pages.events", "pages.event")
"""Pages that are read from the tape itself, whether its sessions are known or not."""


@pages.get("/tapes/<tape>/script")
def script(tape: str) -> Response:
    made = exports.script(open_tape(tape), None)
    return _download(made.data, tape, made.ending)


@pages.get("/tapes/<tape>/sessions/<int:session>/script")
def session_script(tape: str, session: int) -> Response:
    reader = open_tape(tape)
    made = exports.script(reader, open_overview(reader).session(session))
    return _download(made.data, f"{tape}-session-{session}", made.ending)


@pages.get("/tapes/<tape>/sessions/<int:session>/fixture")
def fixture(tape: str, session: int) -> Response:
    reader, name = open_tape(tape), f"{tape}-session-{session}"
    chosen, is_lossy = open_overview(reader).session(session), "lossy" in request.args
    made = exports.fixture(reader, chosen, _safe(name), is_lossy=is_lossy)
    return _download(made.data, name, made.ending)


def _exchange(reader: TapeReader, number: int) -> Exchange:
    found = reader.exchange(number)
    if found is None:
        raise UsageError(
            f"this tape has no exchange {number}: its list of events has those it has."
        )
    return found


def _download(data: bytes, name: str, ending: str = "bin") -> Response:
    """Bytes that a browser keeps and never shows, whatever they are."""
    response = Response(data, mimetype="application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="{_safe(name)}.{ending}"'
    return response


def _safe(name: str) -> str:
    """A name that any file may have."""
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)
