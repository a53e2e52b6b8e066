"""What a finding is."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wiretape.spot import Spot


class Kind(StrEnum):
    """What can be found."""

    SILENCE = "silence"
    NO_HEAD = "no_head"
    TERMINAL_MISSING = "terminal_missing"
    FAILURE_MASKED = "failure_masked"
    CLOSED_EARLY = "closed_early"
    DEAD_SOCKET = "dead_socket"
    SOCKET_LIMIT = "socket_limit"
    CLIENT_LEFT = "client_left"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate_limited"
    HTTP_ERROR = "http_error"
    RESPONSE_FAILED = "response_failed"
    FATAL = "fatal"
    INCOMPLETE = "incomplete"
    PREVIOUS_RESPONSE_UNKNOWN = "previous_response_unknown"
    UNEXPECTED_BINARY = "unexpected_binary"
    SWALLOWED = "swallowed"
    RETRY_STORM = "retry_storm"
    FALLBACK = "fallback"
    NO_POST_AFTER_426 = "no_post_after_426"
    OUTPUT_WITHOUT_CALL = "output_without_call"
    CALL_UNANSWERED = "call_unanswered"
    CALL_REPEATED = "call_repeated"
    ONE_FOLLOW_UP = "one_follow_up"
    TOOL_LOOP = "tool_loop"
    GROWTH = "growth"
    RECORDER_GAP = "recorder_gap"
    RECORDING_CUT = "recording_cut"
    NOT_TRUSTED = "not_trusted"


OF_THE_RECORDER: Final = frozenset({Kind.RECORDER_GAP, Kind.RECORDING_CUT, Kind.NOT_TRUSTED})
"""What the recorder did not see; nothing that client or server did."""


class Severity(StrEnum):
    """How bad it was in the end."""

    BROKEN = "broken"
    """What the client wanted did not come."""
    RECOVERED = "recovered"
    """It came, after trouble; or the trouble is not one request's."""
    GONE_WITHOUT = "gone_without"
    """It did not come, and the session went on without it: a warm-up, that nobody misses."""
    UNSEEN = "unseen"
    """The recording does not show whether it came."""

    @property
    def words(self) -> str:
        """The same for people."""
        return _SEVERITIES[self]


_SEVERITIES: Final = {
    Severity.BROKEN: "not recovered",
    Severity.RECOVERED: "recovered",
    Severity.GONE_WITHOUT: "done without",
    Severity.UNSEEN: "end unknown",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that went wrong, ``what``, in a sentence, and where the tape shows it.

    ``session`` is the number of the session, ``session_id`` the client's name for it, ``request``
    the number of the request within it; ``None`` where the finding is not about one. ``meaning`` is
    what such a finding means, ``advice`` what to try.
    """

    kind: Kind
    severity: Severity
    session: int | None
    session_id: str | None
    request: int | None
    what: str
    meaning: str
    advice: str
    evidence: tuple[Spot, ...]
