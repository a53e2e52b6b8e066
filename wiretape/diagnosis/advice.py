"""What each kind of finding means, and what to try."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from wiretape.diagnosis.kinds import Kind


@dataclass(frozen=True, slots=True)
class Advice:
    """What a kind of finding means, and what to try."""

    meaning: str
    advice: str


ADVICE: Final[Mapping[Kind, Advice]] = {
    Kind.SILENCE: Advice(
        "The server, or something between it and the client, stopped sending before the answer "
        "was complete. A Codex of today waits for events only: pings and comments keep the "
        "connection alive and do not count.",
        "See whether signs of life came in the silence.",
    ),
    Kind.NO_HEAD: Advice(
        "The request was sent, and not even the head of an answer came. The client has no timer "
        "for that over HTTP and seems to hang.",
        "Look at what stands between client and server (proxy, VPN, load balancer): it took the "
        "request and holds it. Try without it.",
    ),
    Kind.TERMINAL_MISSING: Advice(
        "The answer ended without saying that it is over, so the client takes it for cut and "
        "asks again.",
        "A gateway that translates or shortens streams is the usual cause: make it pass on "
        "response.completed with the response's id, or go around it.",
    ),
    Kind.FAILURE_MASKED: Advice(
        "The server said that the response failed, and kept the stream open. Over SSE the client "
        "holds the failure back until the stream ends; if its idle timer runs out first, the "
        "user reads of a timeout instead of the cause.",
        "The cause is the error in response.failed. Whoever serves the stream should end it right "
        "after that event.",
    ),
    Kind.CLOSED_EARLY: Advice(
        "The connection ended before the answer was complete, from the server's side or on the "
        "way.",
        "Whoever closed it gave a code of its own: its reason, and the server's log at that time, "
        "say more.",
    ),
    Kind.DEAD_SOCKET: Advice(
        "A connection that had been used before was used again, and was dead: nothing came back "
        "on it. The client learned that only from the request it lost.",
        "Something on the way forgets idle connections without telling (NAT, firewall, load "
        "balancer). Shorten the idle time between requests, or have it send resets.",
    ),
    Kind.SOCKET_LIMIT: Advice(
        "The server ends WebSockets at a certain age (60 minutes); the client opens a new one and "
        "sends the whole conversation again.",
        "Nothing, unless it fails: a newer client asks again on a new socket.",
    ),
    Kind.CLIENT_LEFT: Advice(
        "The client hung up while the answer was coming, without a silence that explains it.",
        "If nobody interrupted it, look at its own log at that time; the events before it left "
        "are the evidence.",
    ),
    Kind.UNREACHABLE: Advice(
        "No connection to the server could be made.",
        "Check the address (a base URL left behind by another tool, a local gateway that is not "
        "running), name resolution, and for TLS the certificate authorities that are trusted.",
    ),
    Kind.RATE_LIMITED: Advice(
        "The server refused because too much was asked in a time.",
        "Ask less often, and wait as long as the server says, where it does: a client that asks "
        "earlier may be refused again. If it gave up, try again later.",
    ),
    Kind.HTTP_ERROR: Advice(
        "The server answered with an error status, which the client may retry.",
        "Its page in the evidence says more.",
    ),
    Kind.RESPONSE_FAILED: Advice(
        "The server began an answer and said that it failed, for a reason that may pass.",
        "The error's code and message say why. If the retries fail alike, it is the request, not "
        "the moment.",
    ),
    Kind.FATAL: Advice(
        "The server refused in a way that the client does not retry: the turn ends.",
        "The error's code and message say why: the same request is refused again.",
    ),
    Kind.INCOMPLETE: Advice(
        "The server stopped before the model was done (its output limit, or a filter). The newer "
        "Codex ends the turn with it; the older one takes no notice, and then misses the end.",
        "The reason that it gave says what stopped it.",
    ),
    Kind.PREVIOUS_RESPONSE_UNKNOWN: Advice(
        "The client went on from a response that the server does not know (any more): it was made "
        "on another server or socket, or was not stored.",
        "A load balancer must keep a session on one server. A newer client sends the whole "
        "conversation again; an older one needs a new thread.",
    ),
    Kind.UNEXPECTED_BINARY: Advice(
        "The server sent a binary message, or bytes that are no WebSocket frames; the client "
        "takes either for the end of the answer.",
        "A gateway that re-frames the stream is the usual cause: go around it.",
    ),
    Kind.SWALLOWED: Advice(
        "The server sent events that the client cannot read. It passes over them in silence, so "
        "that text, calls or the end of the answer may be missing.",
        "Compare the events named with the API's reference; a gateway that makes up or shortens "
        "events is the usual cause.",
    ),
    Kind.RETRY_STORM: Advice(
        "One request was tried again as often as the client allows by default, or more often.",
        "Why the tries failed is a finding of its own: begin with that one.",
    ),
    Kind.FALLBACK: Advice(
        "The client gave up WebSocket and goes on over HTTP, for the rest of the session: slower, "
        "and the whole conversation is sent with every request.",
        "Find out why the socket failed. If the server or a proxy cannot speak WebSocket, set "
        "supports_websockets = false for the provider and save the tries.",
    ),
    Kind.NO_POST_AFTER_426: Advice(
        "The server refused WebSocket and asked for HTTP (426), and no HTTP request followed.",
        "The client should go on over HTTP at once: it was stopped, or this version of it has "
        "a fault. Set supports_websockets = false for the provider.",
    ),
    Kind.OUTPUT_WITHOUT_CALL: Advice(
        "A request gave back what a tool gave, without the call that asked for it. The server "
        "cannot place it, and refuses or repeats the call.",
        "Whoever builds the conversation must keep the call's item next to its output.",
    ),
    Kind.CALL_UNANSWERED: Advice(
        "The model called a tool, and the client never sent what it gave.",
        "See whether the client knows the tool, and whether it was stopped while it ran.",
    ),
    Kind.CALL_REPEATED: Advice(
        "One call has more than one output: the tool most likely ran again, and its effects "
        "happened twice.",
        "Look at what happened between the two: a retry may have lost the first output.",
    ),
    Kind.ONE_FOLLOW_UP: Advice(
        "The client followed up on a tool once; that answer called another tool, and nothing more "
        "was asked. Clients that do not loop stop like this, and wait for ever.",
        "The client must repeat the round until an answer calls no tool (at most 256 times), and "
        "read calls in follow-up answers too.",
    ),
    Kind.TOOL_LOOP: Advice(
        "The model calls tools round after round without coming to an end.",
        "See whether the outputs tell it anything new. A recorded fixture of one response loops "
        "like this by nature.",
    ),
    Kind.GROWTH: Advice(
        "What is sent grew by a leap from one request to the next, and with it cost and time.",
        "Look at the items that are new in the larger request: an image, a file, or the output "
        "of a tool that was not cut.",
    ),
    Kind.RECORDER_GAP: Advice(
        "The recorder could not keep everything: what crossed in the gap is not on the tape, and "
        "other findings near it may come of that alone.",
        "Record again with room on the disk, or on a faster one.",
    ),
    Kind.NOT_TRUSTED: Advice(
        "The client does not trust the recorder's certificate authority, so that TLS failed: what "
        "it would have asked was never sent. Without the recorder it would have gone through.",
        "Give the client the file that SSL_CERT_FILE names inside the recording; a client that "
        "trusts only its own authorities can be recorded only without TLS.",
    ),
    Kind.RECORDING_CUT: Advice(
        "The recording did not come to its end, and nobody is writing it any more: the recorder "
        "was killed. What is not on the tape is held against nobody.",
        "Record again, and end it with Ctrl-C or with the command that it records.",
    ),
}
"""For every kind of finding."""
