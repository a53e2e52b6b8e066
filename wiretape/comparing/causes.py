"""What follows from what, where two sessions part.

A client says its whole conversation again with every request, and a model answers to all of it: so
one difference is met again and again. The same two values under the same name are one cause,
wherever they stand. Attempts at one request that one side alone made are one, too, and so are
requests in a row that one side alone made.
"""

import json
import re
from collections.abc import Hashable
from typing import Final

from wiretape.comparing.pairs import RequestPair
from wiretape.likeness import Difference

ATTEMPT: Final = "attempt"
REQUEST: Final = "request"
ALONE: Final = (ATTEMPT, REQUEST)
"""Places that are no values: one side has no such thing."""

_NAME: Final = re.compile(r"([^.\[\]]+)(?:\[\d*\])*$")


class Causes:
    """Tells causes apart; to be asked about one difference after the other, from the first on."""

    def __init__(self) -> None:
        self._pair: RequestPair | None = None
        self._request = 0
        self._run = 0

    def begin(self, pair: RequestPair) -> None:
        """The differences to come are of this pair of requests."""
        before, self._pair = self._pair, pair
        self._request += 1
        if before is None or _side(before) != _side(pair):
            self._run += 1

    def of(self, difference: Difference) -> Hashable:
        """What two differences share of which one follows from the other."""
        path = difference.path
        if path == REQUEST:
            return path, self._run
        if path == ATTEMPT:
            return path, self._request, difference.change
        name = found[1] if (found := _NAME.search(path)) else path
        values = (difference.recorded, difference.replayed)
        return name, difference.change, json.dumps(values, sort_keys=True, default=str)


def _side(pair: RequestPair) -> str:
    """Which side has the request."""
    return f"{'A' if pair.a else ''}{'B' if pair.b else ''}"
