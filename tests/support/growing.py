"""A tape that is being written, a request after the other."""

from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from timed_tapes import LABEL, TapeMaker, ask, completed, created, delta, session

from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeWriter


class GrowingTape:
    """The tape at ``path``, closed at the end of the ``with`` statement, or by :meth:`close`."""

    def __init__(self, path: Path, requests: int = 0) -> None:
        self.path = path
        self._maker = TapeMaker(path)
        self._put = 0
        self._writer = TapeWriter(path, LABEL, on_trouble=pytest.fail)
        self._open = ExitStack()
        self._open.enter_context(self._writer)
        self.add(requests)

    def add(self, requests: int) -> None:
        """So many requests more, all of one session; they are on the tape then."""
        for number in range(self._maker.exchanges, self._maker.exchanges + requests):
            begin_ms = 1000 * number
            post = self._maker.post(begin_ms, ask(f"Question {number + 1}"), session("s-1"))
            post.head(begin_ms + 1)
            post.events(begin_ms + 2, created(), delta("word " * 20))
            post.events(begin_ms + 400, completed())
            post.end(begin_ms + 401)
        for fact in islice(self._maker.facts, self._put, None):
            self._writer.put(fact)
        self._put = len(self._maker.facts)
        while self._ended() < self._maker.exchanges:
            pass

    def close(self) -> None:
        """Nothing more comes to it."""
        self._open.close()

    def _ended(self) -> int:
        with TapeReader(self.path) as reader:
            return sum(each.end is not None for each in reader.exchanges())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
