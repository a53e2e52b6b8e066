"""Which conversation an attempt belongs to.

Codex names its thread in a header or in the body. Other clients name none: their requests are
told apart by what they go on from (a ``previous_response_id``, a ``conversation``, the socket that
a ``response.append`` is sent on, an item that an earlier answer made), and else by an input that
begins as an earlier one does and is longer, or that is tried again. Nothing tells apart requests
that do not say what they ask, as a script may leave them: they go on with what was asked last.
"""

from collections.abc import Iterable

from wiretape.asked import RequestKind
from wiretape.attempt import Attempt
from wiretape.attempts import Observed
from wiretape.inputs import InputView
from wiretape.said import Outcome

type Thread = str | int
"""A name that the wire gives, or a number where it gives none."""


class Threads:
    """Tells conversations apart. Takes the attempts on a tape by time, each once."""

    def __init__(self) -> None:
        self._unnamed = 0
        self._last: Thread | None = None
        self._of_response: dict[str, Thread] = {}
        self._of_item: dict[str, Thread] = {}
        self._of_input: dict[int, tuple[Thread, Attempt]] = {}
        self._of_socket: dict[int, Thread] = {}

    def thread_of(self, seen: Observed) -> Thread:
        """The conversation of the next attempt."""
        attempt = seen.attempt
        if attempt.session is not None:
            return attempt.session
        if seen.conversation is not None:
            return seen.conversation
        thread = self._found(seen)
        if thread is None:
            self._unnamed += 1
            thread = self._unnamed
        self._remember(seen, thread)
        return thread

    def _found(self, seen: Observed) -> Thread | None:
        attempt, view = seen.attempt, seen.input
        if attempt.previous_response_id is not None:
            return self._of_response.get(attempt.previous_response_id)
        if attempt.kind is RequestKind.APPEND:
            return self._of_socket.get(attempt.exchange)
        if view is None:
            return self._last
        made = (self._of_item.get(each) for each in reversed(list(_items(view))))
        thread = next((thread for thread in made if thread is not None), self._by_start(view))
        return self._last if thread is None and view.leaves_out else thread

    def _by_start(self, view: InputView) -> Thread | None:
        for length in range(len(view.prefixes), 0, -1):
            found = self._of_input.get(view.prefixes[length - 1])
            if found is not None:
                thread, attempt = found
                is_longer = length < len(view.prefixes)
                if is_longer or attempt.outcome is not Outcome.COMPLETED:
                    return thread
        return None

    def _remember(self, seen: Observed, thread: Thread) -> None:
        attempt, view = seen.attempt, seen.input
        self._last = thread
        self._of_socket[attempt.exchange] = thread
        if attempt.response_id is not None:
            self._of_response[attempt.response_id] = thread
        for item in (*seen.item_ids, *(made.call.call_id for made in seen.calls)):
            self._of_item[item] = thread
        if view is not None and len(view.prefixes) and view.is_whole:
            self._of_input[view.prefixes[-1]] = (thread, attempt)


def _items(view: InputView) -> Iterable[str]:
    """What the last items of an input are known by: their ids, and the calls that were answered."""
    for entry in view.tail:
        yield entry.item_id or entry.key
