"""The model as a test sees it: where it is, what was asked of it, and what ought to have been."""

import os
import ssl
from collections import Counter
from collections.abc import Iterator
from difflib import ndiff
from pathlib import Path
from typing import Any, Protocol

from gateway.environment import child_environment
from replayer.report import Report
from wiretape.reasons import Why
from wiretape.sessions import Request, Session, Try
from wiretape.words import counted


class Source(Protocol):
    """What stands behind a model: a replay, or a recording."""

    def report(self) -> Report | None:
        """How what was asked met the tape; a recording has none."""

    def is_as_recorded(self) -> bool:
        """Whether everything recorded was asked, as it was recorded, and nothing else; up to the
        first fault that was met, because nobody knows what was to come after it."""

    def sessions(self) -> list[Session]:
        """What was asked, put together."""

    def settle(self) -> None:
        """The test has passed: does what is left to do.

        Raises:
            WiretapeError: something of ours went wrong.
        """

    def lines(self) -> Iterator[str]:
        """How it went, for a person."""


class NotAsRecorded(AssertionError):
    """A replay that was not as the recording; says in what."""


class TapedModel:
    """A model that answers from a tape, or is being recorded on one.

    ``base_url`` is what a client in the test is told. ``proxy`` and ``ca_file`` are for a client
    that goes to the model's own address: the environment of the test's process has them already.
    ``refused`` is what this process tried to reach outside this machine.
    """

    def __init__(
        self,
        tape: Path,
        base_url: str,
        proxy: str,
        ca_file: Path,
        source: Source,
    ) -> None:
        self.tape = tape
        self.base_url = base_url
        self.proxy = proxy
        self.ca_file = ca_file
        self.source = source
        self.refused: list[str] = []

    # For clients.

    @property
    def environment(self) -> dict[str, str]:
        """The environment for a command: its traffic, whatever its configuration, comes here."""
        return child_environment(os.environ, self.proxy, self.ca_file)

    @property
    def ssl_context(self) -> ssl.SSLContext:
        """What a client trusts that goes to the model's own address."""
        return ssl.create_default_context(cafile=self.ca_file)

    @property
    def httpx_options(self) -> dict[str, Any]:
        """Options for an ``httpx.Client`` that heeds no environment: ``proxy`` and ``verify``."""
        return {"proxy": self.proxy, "verify": self.ssl_context}

    # What was asked. While recording, the first look ends the recording.

    @property
    def is_recording(self) -> bool:
        return self.source.report() is None

    @property
    def report(self) -> Report:
        """How what was asked met the tape, one by one; an empty one while recording."""
        return self.source.report() or Report()

    @property
    def sessions(self) -> list[Session]:
        """What was asked, conversation by conversation."""
        return self.source.sessions()

    @property
    def requests(self) -> list[Request]:
        """What was wanted of the model, each with every attempt at it."""
        return [request for session in self.sessions for request in session.requests]

    @property
    def attempts(self) -> list[Try]:
        """Every attempt: why it was made, over which transport, and what came of it."""
        return [each for request in self.requests for each in request.tries]

    @property
    def blocked(self) -> Counter[str]:
        """What would have left the machine through the proxy, and how often: it was refused."""
        found: Counter[str] = Counter()
        for each, times in self.report.blocked.items():
            found[each.what] += times
        return found

    # What ought to have been asked.

    def assert_as_recorded(self) -> None:
        """Everything recorded was asked, as it was recorded, and nothing else; up to the first
        fault that was met. While recording, this holds."""
        __tracebackhide__ = True
        if not self.source.is_as_recorded():
            lines = self.source.lines()
            raise NotAsRecorded(_told(f"the replay is not as {self.tape}", lines))

    def assert_requests(self, count: int) -> None:
        """The model was asked for so many things; other attempts at the same thing do not count."""
        __tracebackhide__ = True
        found = self.requests
        if len(found) != count:
            raise AssertionError(
                _told(
                    f"{counted(count, 'request')} expected, {len(found)} made",
                    map(attempt_line, self.attempts),
                )
            )

    def assert_attempts(self, *expected: str) -> None:
        """These attempts were made, in this order, each as ``"retry websocket create cut"``: why,
        over what, which kind, what came of it."""
        __tracebackhide__ = True
        found = [attempt_line(each) for each in self.attempts]
        if found != list(expected):
            heading = "the attempts are not those expected (- expected, + made)"
            # Without ndiff's marks under the letters: a line is short enough to be read.
            lines = (line for line in ndiff(expected, found) if not line.startswith("?"))
            raise AssertionError(_told(heading, lines))

    def assert_fallback(self) -> None:
        """The client gave up on one transport and went on over the other."""
        __tracebackhide__ = True
        self._assert_fallback(is_expected=True)

    def assert_no_fallback(self) -> None:
        """The client stayed with its transport."""
        __tracebackhide__ = True
        self._assert_fallback(is_expected=False)

    def _assert_fallback(self, *, is_expected: bool) -> None:
        __tracebackhide__ = True
        found = self.attempts
        if any(each.why is Why.FALLBACK for each in found) is not is_expected:
            heading = "no fallback was made" if is_expected else "a fallback was made"
            raise AssertionError(_told(heading, map(attempt_line, found)))

    def lines(self) -> Iterator[str]:
        """How it went, for a person."""
        yield f"{'recording to' if self.is_recording else 'replaying'} {self.tape}"
        yield from self.source.lines()
        for where, times in Counter(self.refused).items():
            yield f"refused: {where} ({counted(times, 'time')}), which is not on this machine"


def attempt_line(each: Try) -> str:
    """An attempt in four words: ``first http create completed``."""
    attempt = each.attempt
    return f"{each.why} {attempt.transport} {attempt.kind} {attempt.outcome}"


def _told(heading: str, lines: Iterator[str]) -> str:
    return "\n".join([f"{heading}:", *(f"  {line.rstrip()}" for line in lines)])
