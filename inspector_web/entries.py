"""What was said on either side of a request, one thing after the other, as pages tell it."""

from dataclasses import dataclass, replace
from typing import Final

from inspector_web.answered import answer_items
from inspector_web.conversation import Said, Saying, said_in
from inspector_web.health import Stops, stops_of
from inspector_web.index.reader import IndexReader
from wiretape.attempt import Attempt

MOST_ENTRIES: Final = 60
"""Things said on either side of one request."""
_CONTEXT: Final = ("<", "# AGENTS.md")
"""How texts begin that a client says in the user's name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was said, and for a call what the tool gave and how long that took, from the
    call to its output as both crossed the wire. ``is_context``: the client said it by itself, in
    the user's name. ``stops`` says why it stands there as far as it came, if it does."""

    said: Said
    output: Said | None = None
    took_us: int | None = None
    is_context: bool = False
    stops: Stops | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """What the server said in answer to an attempt. ``is_cut``: the answer goes on."""

    entries: tuple[Entry, ...]
    is_cut: bool


def answered(index: IndexReader, attempt: Attempt) -> Answered:
    """What came in answer to an attempt, as far as it came."""
    answer = answer_items(index, attempt)
    stops = stops_of(attempt)
    entries = [
        Entry(said, stops=None if said.is_done else stops)
        for each in answer.items
        for said in said_in(each.item, is_done=each.is_done)
    ]
    is_cut = answer.is_cut or len(entries) > MOST_ENTRIES
    return Answered(tuple(entries[:MOST_ENTRIES]), is_cut)


def with_context(entries: list[Entry]) -> list[Entry]:
    """What was asked, with what the client put in front of the person's words marked.

    The last message in the user's name is taken for the person's, whatever it looks like.
    """
    spoken = [at for at, each in enumerate(entries) if _is_of_user(each.said)]
    return [
        replace(each, is_context=True)
        if at in spoken[:-1] and each.said.text.lstrip().startswith(_CONTEXT)
        else each
        for at, each in enumerate(entries)
    ]


def _is_of_user(said: Said) -> bool:
    return said.saying is Saying.MESSAGE and said.who == "user"
