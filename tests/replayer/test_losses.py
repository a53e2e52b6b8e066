"""What of a recording is missing, told before it is played."""

from collections.abc import Callable
from dataclasses import replace

from tapes import COMPLETE, LEFT, Ending, Recording, answer, asks, create, says, sse, wants

from replayer.losses import losses
from replayer.script import Script
from wiretape.facts import EndKind, RequestBody

type OpenScript = Callable[..., Script]

LOST = "after what is there, the connection will be closed, as if it were lost"


def test_a_whole_recording_has_no_losses(script: OpenScript) -> None:
    """Whatever happened on it."""
    recording = Recording()
    recording.post(create("a"), sse(*answer("a")))
    recording.post(create("a"), (b"one",), LEFT)
    recording.socket(wants(asks("b")), says(*answer("b")))
    recording.refused_upgrade(426)
    assert list(losses(script(recording))) == []


def test_what_was_cut_off_is_told(script: OpenScript) -> None:
    """By its number, with what a replay will do; what had come to its end is nothing to tell."""
    recording = Recording()
    recording.post(create("a"), sse(*answer("a")), Ending(None))
    recording.post(create("b"), (b"one",), Ending(None))
    recording.socket(wants(asks("c")), says(*answer("c")), ending=Ending(None))
    recording.socket(wants(asks("d")), says({"type": "x"}), ending=Ending(EndKind.RECORDER_STOPPED))
    assert list(losses(script(recording))) == [
        f"the recording does not tell how exchanges 2, 4 ended: {LOST}"
    ]


def test_gaps_are_told_with_their_places(script: OpenScript) -> None:
    """And where they leave a client waiting, what will be done about it."""
    recording = Recording()
    recording.post(create("a"), sse(*answer("a")))
    recording.gap(1)
    recording.gap(1)
    assert list(losses(script(recording))) == [
        "the recording has 2 gaps (in exchange 1): what was lost cannot be replayed"
    ]
    number = recording.open_socket()
    recording.on(number, wants(asks("b")))
    recording.gap(None)
    recording.end(number)
    assert list(losses(script(recording))) == [
        "the recording has 3 gaps (in exchange 1): what was lost cannot be replayed",
        f"the recording does not tell how exchange 2 ended: {LOST}",
    ]


def test_exchanges_have_the_numbers_of_the_tape(script: OpenScript) -> None:
    """Also where they have others in what is played; each once."""
    recording = Recording()
    for text in "ab":
        recording.post(create(text), (b"one",), Ending(None))
    assert list(losses(script(recording), {1: 3, 2: 3})) == [
        f"the recording does not tell how exchange 3 ended: {LOST}"
    ]


def test_a_request_that_is_not_whole_is_told(script: OpenScript) -> None:
    """The client sends the whole of it, which is bound to differ."""
    recording = Recording()
    recording.post(create("a"), sse(*answer("a")), COMPLETE)
    recording.facts = [
        replace(fact, is_whole=False) if isinstance(fact, RequestBody) else fact
        for fact in recording.facts
    ]
    assert list(losses(script(recording))) == [
        "what was asked in exchange 1 is not whole on the tape: "
        "what the client asks will differ from it"
    ]
