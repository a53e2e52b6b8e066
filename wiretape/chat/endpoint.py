"""Where a chat request goes, and how its answer is handed up.

Source: document 000 §3.1, §3.2 and §12.1 to §12.3.
"""

from collections.abc import Callable

from wiretape.chat.aggregate import AggregateMode, Aggregator
from wiretape.chat.stream import ChatEvent
from wiretape.client.config import WireApi

IS_COMPRESSED = False
"""The chat wire never compresses a request's body (§12.2), whatever the login or feature."""


def request_path(wire_api: WireApi) -> str:
    """The path below the provider's base URL (§3.1, §12.1)."""
    return "chat/completions" if wire_api is WireApi.CHAT else "responses"


def consumer(*, show_raw_agent_reasoning: bool) -> Callable[[ChatEvent], list[ChatEvent]]:
    """What stands between the stream and the client's turn (§3.2, §12.3): each event in, those to
    show out.

    §3.2 and §12.3 have the raw stream pass unchanged, while §12.4 describes a ``Streaming``
    mode of the aggregation as well. The two sections that say what the client chooses win here;
    the other mode is :data:`AggregateMode.STREAMING`, which the client itself never asked for.
    """
    if show_raw_agent_reasoning:
        return lambda event: [event]
    return Aggregator(AggregateMode.AGGREGATED_ONLY).feed
