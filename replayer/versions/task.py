"""What a recorded client was to do, and how it was set up, as far as its recording tells. Pure."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from replayer.bends.whole import all_asked_in
from wiretape.asked import Asked, RequestKind
from wiretape.choosing import is_asked
from wiretape.facts import host_in_url
from wiretape.folders import Folder, folders_in
from wiretape.inputs import said_by_user
from wiretape.recording import Recording, WholeExchange
from wiretape.scope import Purpose, purpose_of

KEY: Final = "WIRETAPE_KEY"
_NAME: Final = "recorded"
_ENDPOINT: Final = re.compile(r"/(?:responses|chat/completions)(?:/compact)?/?(?:\?.*)?$")
_SANDBOX: Final = re.compile(r"danger-full-access|workspace-write|read-only")
_USUAL_SANDBOX: Final = "workspace-write"


@dataclass(frozen=True, slots=True)
class Task:
    """A prompt, and the settings of a client that is to ask for the same as the recorded one.

    ``base_url`` is that of the recorded model: a replay stands in its place. ``folders`` are
    those of the recorded client, as far as it spoke of them.
    """

    prompt: str
    model: str | None
    base_url: str
    is_chat: bool
    has_websockets: bool
    sandbox: str
    folders: Mapping[Folder, str]

    def config(self) -> str:
        """The settings as Codex's ``config.toml``."""
        settings = {
            **({} if self.model is None else {"model": self.model}),
            "model_provider": _NAME,
            "sandbox_mode": self.sandbox,
            "approval_policy": "never",
            "check_for_update_on_startup": False,
            "suppress_unstable_features_warning": True,
            "features.responses_websockets": self.has_websockets,
            f"model_providers.{_NAME}": {
                "name": _NAME,
                "base_url": self.base_url,
                "env_key": KEY,
                "wire_api": "chat" if self.is_chat else "responses",
                "supports_websockets": self.has_websockets,
            },
        }
        return "".join(f"{name} = {_toml(value)}\n" for name, value in settings.items())


def task_of(recording: Recording, prompt: str | None = None) -> Task | None:
    """What a recording was about, or this ``prompt``; ``None`` where nothing tells it."""
    asked = [
        (exchange, each)
        for exchange in recording.exchanges
        if is_asked(exchange)
        for each in all_asked_in(exchange)
    ]
    # A warm-up says the same as what is asked then, or less.
    asked.sort(key=lambda each: each[1].kind is RequestKind.WARM_UP)
    for exchange, first in asked:
        # A client puts its own context in front, in the user's name.
        words = [text for item in first.input_items if (text := said_by_user(item))]
        if words or prompt is not None:
            return Task(
                words[-1] if prompt is None else prompt,
                first.model,
                _base_url(exchange),
                _purpose(exchange) is Purpose.CHAT,
                any(each.request.is_upgrade for each in recording.exchanges),
                _sandbox(first),
                folders_in(first.input_items),
            )
    return None


def _base_url(exchange: WholeExchange) -> str:
    request = exchange.request
    host = host_in_url(request.host)
    path = _ENDPOINT.sub("", request.target)
    return f"{request.scheme}://{host}:{request.port}{path}"


def _purpose(exchange: WholeExchange) -> Purpose | None:
    request = exchange.request
    return purpose_of(request.method, request.target, is_upgrade=request.is_upgrade)


def _sandbox(asked: Asked) -> str:
    """The sandbox that the client tells its model of."""
    told = json.dumps(asked.input_items)
    named = told.find("sandbox_mode")
    found = _SANDBOX.search(told, named) if named >= 0 else None
    return _USUAL_SANDBOX if found is None else found[0]


def _toml(value: object) -> str:
    """A value as TOML: texts and truths are written as in JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_toml(each)}' for name, each in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)
