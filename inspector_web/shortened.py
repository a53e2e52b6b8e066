"""Addresses that somebody cut short: each leads to the nearest page that there is."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, redirect, url_for
from werkzeug.wrappers import Response

from inspector_web.reader import library, shelf

shortened = Blueprint("shortened", __name__)

_TAPE: Final = "/tapes/<tape>"
_SESSION: Final = f"{_TAPE}/sessions/<int:number>"
_REQUEST: Final = f"{_TAPE}/sessions/<int:session>/requests/<int:number>"
_EXCHANGE: Final = f"{_TAPE}/exchanges/<int:exchange>"
_NEAREST: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "/tapes": ("sessions", {}),
    f"{_SESSION}/turns": ("session", {}),
    f"{_SESSION}/requests": ("session", {}),
    _REQUEST: ("attempt", {"attempt": 1}),
    f"{_REQUEST}/attempts": ("attempt", {"attempt": 1}),
    f"{_TAPE}/exchanges": ("events", {}),
    _EXCHANGE: ("events", {}),
    f"{_EXCHANGE}/events": ("events", {}),
}
"""The page for each, and what its address says besides."""


def _leads(to: str, more: Mapping[str, Any]) -> Callable[..., Response]:
    def lead(**given: Any) -> Response:
        return redirect(url_for(f"pages.{to}", **given, **more))

    return lead


for _rule, (_to, _more) in _NEAREST.items():
    shortened.add_url_rule(_rule, _rule.replace(".", "_"), _leads(_to, _more))


@shortened.get(_TAPE)
@shortened.get(f"{_TAPE}/sessions")
def tape_alone(tape: str) -> Response:
    """Its only session; else the list of those it has, or its events where it has none."""
    look = shelf().look(library().find(tape))
    sessions = () if look.overview is None else look.overview.sessions
    if len(sessions) == 1:
        return redirect(url_for("pages.session", tape=tape, number=1))
    if look.overview is not None and not sessions:
        return redirect(url_for("pages.events", tape=tape))
    return redirect(url_for("pages.sessions", text=tape))
