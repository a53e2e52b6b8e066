"""How much is too much, and who says so."""

from typing import Final

from wiretape.client.config import Provider

_DEFAULTS: Final = Provider(name="", base_url="")

IDLE_US: Final = _DEFAULTS.stream_idle_timeout_ms * 1000
"""The client's own patience with a stream that says nothing: its default for
``stream_idle_timeout_ms``. One that is configured otherwise shows in what the client does."""

CONNECT_US: Final = _DEFAULTS.websocket_connect_timeout_ms * 1000
"""The same for the handshake of a WebSocket: ``websocket_connect_timeout_ms``."""

HEAD_US: Final = 60_000_000
"""The client has no timer for the head of an HTTP answer. A stream's head comes before the model
has thought; a hang of 15 min 58 s before a 408 is what users reported."""

FORGETFUL_US: Final = 60_000_000
"""A connection must be quiet for so long before something on the way forgets it: the shortest idle
timeout that load balancers come with. Where nothing comes back sooner, the server is slow."""

STORM_RETRIES: Final = _DEFAULTS.stream_max_retries
"""So many retries of one request over one transport are the client's whole default budget."""

LATE_END_US: Final = 1_000_000
"""After ``response.failed`` nothing more is to come; a server that means it ends the stream within
a round trip. The client says nothing of the failure until then (document 002 §3.3)."""

MOST_ROUNDS: Final = 256
"""A tool loop ends after so many rounds (document 004)."""

MANY_ROUNDS: Final = MOST_ROUNDS * 9 // 10

SAME_CALL_ID: Final = 3
"""A server that gives one call id in so many answers says the same for ever, as a fixture of one
response does: every run of the tool is followed by the same call."""

TOKEN_JUMP: Final = 100_000
"""The client cuts what a tool gives to 10,000 tokens (``truncation_policy`` of its models): this is
what ten tools at once can give at most."""

BODY_JUMP_BYTES: Final = 1_000_000
"""A quarter of a million tokens of text, more than the context of most models."""

JUMP_FACTOR: Final = 2
"""A jump at least doubles what there was: a session that is large already may grow by much."""

TIMER_SLACK_US: Final = 5_000
"""A timer of whole milliseconds, and the way of the answer between recorder and client."""
