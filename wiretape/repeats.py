"""What another try at a request repeats of an earlier one, in words."""

from collections.abc import Sequence

from wiretape.attempt import Attempt
from wiretape.attempts import Observed
from wiretape.inputs import InputView, carried_on
from wiretape.words import counted


def attempt_told(request: int, number: int) -> str:
    """An attempt by its place in its session, both from 1: ``request 3, attempt 1``."""
    return f"request {request}, attempt {number}"


def repeats(
    seen: Observed, asked: Observed | None, tries: Sequence[Attempt], request: int, way: str
) -> str:
    """What ``seen`` asks for again: an evidence, in words.

    ``tries`` are the attempts before it, the last of which ended in this ``way``; ``asked`` is the
    one of them whose input is known to ask for the same.
    """
    last = f"{attempt_told(request, len(tries))}, which did not succeed ({way})"
    view = seen.input
    if view is not None and view.says_nothing:
        return f"it does not say what it asks, and comes right after {last}"
    if view is None or asked is None or asked.input is None or asked.input.says_nothing:
        return f"it comes right after {last}"
    how_much = _how_much(seen, view, asked, asked.input)
    if asked.attempt is tries[-1]:
        return f"it asks for the same as {last}; {how_much}"
    number = 1 + next(at for at, each in enumerate(tries) if each is asked.attempt)
    return f"it comes right after {last}, and asks for the same as attempt {number}; {how_much}"


def _how_much(seen: Observed, view: InputView, asked: Observed, before: InputView) -> str:
    """How much of what was asked before is sent again."""
    called = frozenset(made.call.call_id for made in asked.calls)
    added = carried_on(view, before, called)
    now, then = seen.attempt.previous_response_id, asked.attempt.previous_response_id
    if view.items == before.items and view.tail == before.tail:
        moved = f", but it goes on from {now or 'nothing'} instead of {then or 'nothing'}"
        return "its input is the same" + ("" if now == then else moved)
    if view.is_whole is not before.is_whole:
        whole, new = "the whole conversation", _only_new(seen if before.is_whole else asked)
        here, there = (whole, new) if view.is_whole else (new, whole)
        more = f", and {counted(added, 'item')} more" if added > 0 else ""
        return f"it sends {here}, where that sent {there}{more}"
    if view.items == before.items + added and added > 0:
        return f"its input is the same but for {counted(added, 'item')} added"
    return f"its input has {counted(view.items, 'item')}, where that had {before.items}"


def _only_new(seen: Observed) -> str:
    previous = seen.attempt.previous_response_id
    return "only what is new" if previous is None else f"only what is new after {previous}"
