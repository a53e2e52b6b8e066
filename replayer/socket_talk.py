"""What a client's message on a socket means, held against a recorded one that says everything.

A client leaves out what the socket has heard. Where the recorded message does so too, the two
are compared as they stand. Where it says everything, what the client left out is put back: what it
said before, and of the answers in between what the recording says that it repeats, which is what
the client was told.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from wiretape.asked import Asked, RequestKind
from wiretape.inputs import Maker, maker_of
from wiretape.jsontext import JsonObject


class SocketTalk:
    """What the client has said on one socket, as it would say it at once; nothing where that
    never had to be known."""

    def __init__(self) -> None:
        self._said: JsonObject | None = None

    def meant(self, asked: Asked, recorded: Asked) -> Asked:
        """``asked`` in the form of ``recorded``."""
        said, body = self._said, asked.body
        if said is None or not asked.says_only_what_is_new or recorded.says_only_what_is_new:
            return asked
        before, new = said.get("input"), body.get("input", [])
        whole = recorded.input_items
        if not isinstance(before, list) or not isinstance(new, list):
            return asked
        without = {name: value for name, value in body.items() if name != "previous_response_id"}
        repeated = _repeated(whole[len(before) :], new)
        members = {**said, **without, "type": "response.create"}
        return replace(
            asked, kind=RequestKind.CREATE, body={**members, "input": [*before, *repeated, *new]}
        )

    def heard(self, asked: Asked, recorded: Asked) -> None:
        """The client has asked so, and it was found to be ``recorded``."""
        meant = self.meant(asked, recorded)
        if isinstance(meant.body, dict) and not meant.says_only_what_is_new:
            self._said = {name: value for name, value in meant.body.items() if name != "generate"}
        else:
            self._said = None


def _repeated(recorded: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """What the client left out of the last answer. Some clients repeat all of it."""
    if new and maker_of(new[0]) is Maker.MODEL:
        return []
    return list(takewhile(lambda item: maker_of(item) is Maker.MODEL, recorded))
