"""Keeps what fails in the recorder from the traffic: it becomes a gap on the tape."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

from recorder.capture import OpenExchange


class Guarded(Protocol):
    """Who has hooks that must not harm."""

    def failed(self, hook: str, subject: Any, error: Exception) -> None:
        """One of them has failed."""


def never_harms[G: Guarded, S](hook: Callable[[G, S], None]) -> Callable[[G, S], None]:
    """A hook whose failure is told to its own, and is no end of the traffic."""

    @wraps(hook)
    def guarded(addon: G, subject: S) -> None:
        try:
            hook(addon, subject)
        except Exception as error:
            addon.failed(hook.__name__, subject, error)

    return guarded


def tee(
    exchange: OpenExchange, keep: Callable[[int, bytes], None], now_us: Callable[[], int]
) -> Callable[[bytes], bytes]:
    """Passes bytes on as they are, and gives them to ``keep`` with their time."""

    def through(data: bytes) -> bytes:
        if data:
            try:
                keep(now_us(), data)
            except Exception as error:
                # Passed on, it would drop the bytes from the client's stream.
                exchange.lost(now_us(), len(data), failure(error))
        return data

    return through


def failure(error: Exception) -> str:
    """What a gap says of it: not the error's own words, which may quote what no tape may hold."""
    return f"the recorder failed ({type(error).__name__})"
