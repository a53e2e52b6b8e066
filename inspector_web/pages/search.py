"""Search over everything on all tapes: what was said, in any event and across events."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from inspector_web.index.reader import IndexReader
from inspector_web.overview import AttemptPlace
from inspector_web.pages.head import SessionHead, heads_of
from inspector_web.readings import Look
from inspector_web.search import Excerpt, Spent, excerpt_of, hits_in
from inspector_web.seen import Place
from inspector_web.wanted import Wanted
from wiretape.facts import Sender

MOST_HITS: Final = 50


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What the address asks for: a text, one tape or all, and from which place on."""

    text: str = ""
    tape: str | None = None
    after_tape: str | None = None
    after: Place | None = None

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The query of an address.

        Raises:
            BadAddress: a value makes no sense.
        """
        return cls(
            given.get("text", "").strip(),
            given.get("tape") or None,
            given.get("after_tape") or None,
            Place.parse(given.get("after", "")),
        )


@dataclass(frozen=True, slots=True)
class SearchedTape:
    """A tape to search in: its name, what is known of it, and what opens its index, for now, if the
    tape can hold these letters (an expression for SQLite, or anything)."""

    name: str
    look: Look
    opened_if: Callable[[str | None], IndexReader | None]


@dataclass(frozen=True, slots=True)
class Found:
    """An event in which the text stands, or begins.

    It is not known when its tape began until that has been read.
    ``session`` and ``place`` are the session and the attempt that it is part of, if any. An answer
    says what it says several times, in pieces and as a whole: ``more`` counts the later events of
    the same attempt that hold the text too. ``is_part``: it stands within a longer word.
    """

    tape: str
    tape_started_at_us: int | None
    session: int | None
    words: str
    place: AttemptPlace | None
    event: Place
    sender: Sender
    type: str
    excerpt: Excerpt
    is_part: bool
    more: int = 0


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told of a session and holds the text: how it went, or the ``finding`` of that name
    in its address."""

    session: SessionHead
    finding: str | None
    excerpt: Excerpt


@dataclass(frozen=True, slots=True)
class SearchPage:
    """What was found: how sessions are told to have gone, sessions that are called so, then events,
    tape by tape, by time; those that hold the text within longer words come last.

    Where not everything was looked at, ``next_tape`` and ``next`` are where to go on.
    ``unread`` are tapes of which only a part is searched, because they are still being read.
    """

    query: SearchQuery
    told: tuple[Telling, ...]
    sessions: tuple[SessionHead, ...]
    found: tuple[Found, ...]
    next_tape: str | None
    next: Place | None
    unread: tuple[str, ...]


def search_page(query: SearchQuery, tapes: Iterable[SearchedTape]) -> SearchPage:
    """The page that the query asks for."""
    told: list[Telling] = []
    sessions: list[SessionHead] = []
    found: list[Found] = []
    unread: list[str] = []
    next_tape: str | None = None
    following: Place | None = None
    spent = Spent()
    letters = Wanted(query.text).only(()).letters
    is_begun = False
    for tape in tapes if query.text else ():
        if query.tape is not None and tape.name != query.tape:
            continue
        if tape.look.overview is None:
            unread.append(tape.name)
        elif query.after_tape is None:
            heads = heads_of(tape.name, tape.look.overview)
            told += (each for head in heads for each in _told(query.text, head))
            sessions += (head for head in heads if _is_called(query.text, head))
        is_first = tape.name == query.after_tape or (query.after_tape is None and not is_begun)
        is_begun = is_begun or is_first
        if not is_begun or next_tape is not None:
            continue
        # The first one is searched in any case, so that each answer comes further.
        if not is_first and (spent.is_enough or len(found) >= MOST_HITS):
            next_tape = tape.name
            continue
        index = tape.opened_if(letters)
        if index is None:
            continue
        after = query.after if is_first else None
        hits, following = hits_in(index, query.text, after, MOST_HITS - len(found), spent)
        found += _told_once(_found(tape, *hit) for hit in hits)
        if following is not None:
            next_tape = tape.name
    return SearchPage(
        query,
        tuple(told[:MOST_HITS]),
        tuple(sessions[:MOST_HITS]),
        tuple(sorted(found, key=lambda each: each.is_part)),
        next_tape,
        following,
        tuple(unread),
    )


def _told_once(found: Iterable[Found]) -> Iterator[Found]:
    grouped: dict[object, list[Found]] = {}
    for each in found:
        attempt = (each.session, each.place, each.sender) if each.place else each.event
        grouped.setdefault(attempt, []).append(each)
    for same in grouped.values():
        yield replace(min(same, key=lambda each: each.is_part), more=len(same) - 1)


def _told(text: str, head: SessionHead) -> Iterator[Telling]:
    """Its findings that hold the text, else how it went."""
    wanted = Wanted(text)
    is_told = False
    for finding in head.findings:
        if (excerpt := excerpt_of(wanted, finding.text)) is not None:
            is_told = True
            yield Telling(head, finding.name, excerpt)
    if not is_told and (excerpt := excerpt_of(wanted, head.verdict.text)) is not None:
        yield Telling(head, None, excerpt)


def _is_called(text: str, head: SessionHead) -> bool:
    known = (head.id, head.client, head.model, head.tape)
    return any(text.casefold() in each.casefold() for each in known if each)


def _found(tape: SearchedTape, event: Place, sender: Sender, kind: str, excerpt: Excerpt) -> Found:
    overview = tape.look.overview
    under_way = None if overview is None else overview.attempt_at(event.exchange, event.at_us)
    session, place = under_way or (None, None)
    words = overview.words[session - 1] if overview is not None and session is not None else ""
    return Found(
        tape.name,
        None if overview is None else overview.label.started_at_us,
        session,
        words,
        place,
        event,
        sender,
        kind,
        excerpt,
        excerpt.is_part,
    )
