"""Runs of ``wiretape replay``: the client that they run, what it asks, and what came of it."""

import json
import sys
from dataclasses import dataclass
from typing import Any

import asking_child
from tapes import HOST, JSON_HEADERS, SESSION, Recording, create

URL = f"https://{HOST}/v1/responses"
WSS = f"wss://{HOST}/v1/responses"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command came to. ``answers`` are what the client that it ran was told."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def answers(self) -> list[Any]:
        heard: list[Any] = json.loads(self.stdout)
        return heard


def child(*asked: tuple[str, str, Any]) -> list[str]:
    """The command that asks these things."""
    return ["--", sys.executable, asking_child.__file__, json.dumps(asked)]


def asking(*texts: str, session: str = SESSION) -> list[str]:
    """The command that asks for each of these."""
    return child(*(("POST", URL, create(text, prompt_cache_key=session)) for text in texts))


def conversation(*texts: str, session: str = SESSION) -> Recording:
    """What that command asks, recorded, each answered with its own text."""
    recording = Recording()
    for text in texts:
        recording.post(
            create(text, prompt_cache_key=session),
            (text.encode(),),
            session=None,
            asked_with=ASKED_WITH,
        )
    return recording


ASKED_WITH = (*JSON_HEADERS, ("accept-encoding", "identity"))
"""The headers that the client sends, as far as they count."""
