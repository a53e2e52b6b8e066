"""What a request says that none before it on the tape said, as the text that a person would read.

A coding agent repeats its whole conversation with every request, so a text counts where it was
sent first; else a search would find it in each request since, and an index grow with the square.
"""

from collections.abc import Callable, Iterator
from typing import Final

from inspector_web.index.texts import strings_in
from wiretape.asked import Asked, asked_by_message, asked_over_http
from wiretape.digests import digest
from wiretape.scope import purpose_of
from wiretape.store_reader import Exchange

type IsNew = Callable[[str], bool]
"""Told a digest, says whether it is the first time."""

_INPUTS: Final = ("input", "messages")


def of_request(exchange: Exchange, body: bytes, is_new: IsNew) -> str:
    """The heads of an exchange, and what is new in the body of its request."""
    request, response = exchange.request, exchange.response
    heads = [*request.headers, *(() if response is None else response.headers)]
    lines = [f"{name}: {value}" for name, value in heads]
    if body:
        purpose = purpose_of(request.method, request.target, is_upgrade=False)
        lines += _new(asked_over_http(purpose, request.headers, body), is_new)
    return "\n".join(lines)


def of_message(message: str, is_new: IsNew) -> str:
    """What is new in a message of the client on a socket."""
    return "\n".join(_new(asked_by_message((), message.encode()), is_new))


def _new(asked: Asked, is_new: IsNew) -> Iterator[str]:
    if not isinstance(asked.body, dict):
        yield asked.raw.decode("utf-8", "replace")
        return
    settings = [{key: value} for key, value in asked.body.items() if key not in _INPUTS]
    for part in (*settings, *asked.input_items):
        if is_new(digest(part)):
            yield from strings_in(part)
