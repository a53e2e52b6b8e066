"""What was said in a session, and how much of it a try at a request says.

The client remembers an item of an answer once it is whole, however the answer then ends, and with
it what its tools gave. Which of this a retry repeats is the dialect's.
"""

from collections.abc import Iterable

from wiretape.client.dialect import Dialect
from wiretape.client.events import Item


class History:
    """The conversation so far, as the client would repeat it."""

    def __init__(self, dialect: Dialect) -> None:
        self._repeats_broken_answers = dialect.repeats_broken_answers
        self._items: tuple[Item, ...] = ()
        self._request: tuple[Item, ...] = ()

    @property
    def items(self) -> tuple[Item, ...]:
        """All that was said."""
        return self._items

    def begin(self, items: Iterable[Item]) -> None:
        """A turn begins: these are the whole conversation, and its first request."""
        self._items = tuple(items)
        self.go_on()

    def remember(self, items: Iterable[Item]) -> None:
        """An answer is over, well or not: its whole items, and what its tools gave."""
        self._items += tuple(items)

    def go_on(self) -> None:
        """The next request of the turn says everything."""
        self._request = self._items

    def tried(self) -> tuple[Item, ...]:
        """The input of a try at the current request, the first or a further one."""
        if self._repeats_broken_answers:
            self._request = self._items
        return self._request
