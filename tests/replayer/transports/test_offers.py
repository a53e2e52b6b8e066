"""WebSockets that are refused to whoever asks, and need not be asked for."""

from pathlib import Path

import pytest
from bent_scripts import script

from replayer.player import Player
from replayer.script import Script
from wiretape.scripts.reading import read_script
from wiretape.store_recording import reader_of


@pytest.mark.parametrize(
    ("headers", "missed"),
    [([], 0), (["  headers: {upgrade: websocket, session-id: s}"], 1)],
)
def test_an_offer_may_be_left(headers: list[str], missed: int) -> None:
    """Where the recording says who asked, it is missed."""
    text = script("- request: websocket /v1/responses", *headers, "  answer: 426")
    with reader_of(read_script(text), Path("offers.script")) as reader:
        assert len(Player(Script(reader)).finish().not_asked) == missed
