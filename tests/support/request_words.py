"""One thing that a client asked, in words that two runs are compared by."""

from collections.abc import Mapping, Sequence
from typing import Any

from provider_log import Ask, Asked

_NOT_REPEATED = ("user", "developer")
"""Who says what a client adds of its own accord, in another way in each version."""


def words_of(log: Sequence[Asked]) -> tuple[str, ...]:
    """All that a provider was asked of its model, in these words."""
    return tuple(
        request_words(each.kind, each.body, _turn_state(each))
        for each in log
        if each.kind not in (Ask.MODELS, Ask.OTHER)
    )


def _turn_state(asked: Asked) -> str | None:
    # The headers of a message are those of its handshake, where they were told already.
    is_message = asked.kind in (Ask.WEBSOCKET, Ask.WARM_UP)
    return None if is_message else dict(asked.headers).get("x-codex-turn-state")


def request_words(kind: str, body: Mapping[str, Any] | None, turn_state: str | None) -> str:
    """``websocket create after resp_0001: function_call_output``, ``upgrade in state-1``.

    Of the items in the input it names those that came out of the turn: what the model said, and
    what tools gave.
    """
    words = kind if turn_state is None else f"{kind} in {turn_state}"
    if body is None:
        return words
    words += f" {body['type'].removeprefix('response.')}" if "type" in body else ""
    if "previous_response_id" in body:
        words += f" after {body['previous_response_id']}"
    repeated = [item["type"] for item in body["input"] if item.get("role") not in _NOT_REPEATED]
    return f"{words}: {' '.join(repeated)}" if repeated else words
