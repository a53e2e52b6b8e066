"""Requests that ask the model for nothing: the list of models above all, and whatever else was
recorded. They are answered as often as the client asks, whatever their order."""

from collections.abc import Iterable

from replayer.http_request import HttpRequest
from replayer.script import RecordedExchange
from wiretape.redact import redact_text
from wiretape.scope import Purpose


class SideRequests:
    """The recorded side requests, each used once; after that the last answer still holds."""

    def __init__(self, recorded: Iterable[RecordedExchange]) -> None:
        self._unused = list(recorded)
        self._used: list[RecordedExchange] = []

    def find(self, request: HttpRequest) -> RecordedExchange | None:
        """The recorded request that ``request`` repeats.

        The same host and the same query are better than others. A list of models may come from
        another host (a client may reach the same API by another way); anything else may not.
        """
        for recorded in (self._unused, self._used[::-1]):
            alike = [each for each in recorded if _is_alike(each, request)]
            if alike:
                found = max(alike, key=lambda each: _likeness(each, request))
                if found in self._unused:
                    self._unused.remove(found)
                    self._used.append(found)
                return found
        return None


def _is_alike(recorded: RecordedExchange, request: HttpRequest) -> bool:
    asked = recorded.exchange.request
    return (
        asked.method == request.method
        and asked.target.partition("?")[0] == request.path
        and (recorded.purpose is Purpose.MODELS or _is_from_there(recorded, request))
    )


def _is_from_there(recorded: RecordedExchange, request: HttpRequest) -> bool:
    return request.origin is None or recorded.origin == request.origin


def _likeness(recorded: RecordedExchange, request: HttpRequest) -> tuple[bool, bool]:
    is_same_target = recorded.exchange.request.target == redact_text(request.target)
    return _is_from_there(recorded, request), is_same_target
