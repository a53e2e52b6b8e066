"""Recordings at another pace, and with shorter silences."""

import pytest
from tapes import CUT, LEFT, Recording, answer, asks, create, says, sse, wants
from wholes import whole

from replayer.bends.pace import at_factor
from replayer.bends.silences import Awaited, with_silences
from replayer.faults.spec import read_fault
from replayer.pacing import MAX, Pace
from replayer.patience import Hurried, Patience
from replayer.timing import timed
from wiretape.recording import Recording as Whole


def stalled() -> Whole:
    """A stream that is silent for five minutes after its first event, and then goes on."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), says(answer("hi")[0]))
    recording.pause(300_000_000)
    recording.on(number, says(*answer("hi")[1:]))
    recording.end(number, CUT)
    recording.post(create("a"), sse(*answer("hi")), LEFT)
    return whole(recording)


def times(recording: Whole) -> list[int]:
    return [fact.at_us for fact in recording.facts()]


def test_a_factor_divides_every_time() -> None:
    """Twice as fast is half the time."""
    assert times(at_factor(2.0)(stalled())) == [at_us // 2 for at_us in times(stalled())]


def test_without_waiting_the_order_is_kept() -> None:
    """Everything is a microsecond apart."""
    assert times(at_factor(None)(stalled())) == list(range(15))


def test_a_silence_is_shortened() -> None:
    """Within its exchange; what was shorter stays."""
    shorter = with_silences(lambda silence_us, _: min(silence_us, 2_000_000))
    before, after = times(stalled()), times(shorter(stalled()))
    sooner = [old - new for old, new in zip(before, after, strict=True)]
    assert sooner == [0] * 5 + [298_010_000] * 3 + [0] * 7


def test_what_is_waited_for_in_a_silence() -> None:
    """The handshake of a socket, an answer that is owed, the head and the rest over HTTP; nothing
    before a request, nor after the last word."""
    recording = Recording()
    number = recording.open_socket()
    recording.on(number, wants(asks("a")), says(*answer("hi")), says({"type": "late"}))
    recording.end(number, CUT)
    recording.post(create("a"), sse(*answer("hi")))
    seen: list[Awaited] = []

    def new(silence_us: int, awaited: Awaited) -> int:
        seen.append(awaited)
        return silence_us

    assert with_silences(new)(whole(recording)) == whole(recording)
    nothing, some = Awaited.NOTHING, Awaited.ANSWER
    on_the_socket = [nothing, Awaited.HANDSHAKE, nothing, *[some] * 3, nothing, nothing]
    assert seen == [*on_the_socket, nothing, Awaited.HEAD, *[some] * 4]


@pytest.mark.parametrize(
    ("pace", "faults", "longest_s", "played", "gap_us"),
    [
        (MAX, (), None, MAX, 300_010_000),
        (MAX, (), 4.0, MAX, 300_010_000),
        (MAX, ("1:cut", "1:stall"), None, MAX, 300_010_000),
        (Pace(2.0), ("1:cut",), None, Pace(2.0), 300_010_000),
        (Pace(2.0), ("1:stall=5",), None, Pace(1.0), 150_005_000),
        (MAX, ("1:slow",), None, Pace(1.0), 1),
        (Pace(1.0), (), 4.0, Pace(1.0), 2_000_000),
        (Pace(100.0), (), 4.0, Pace(1.0), 2_000_000),
        (Pace(100.0), (), 40.0, Pace(1.0), 3_000_100),
    ],
)
def test_how_time_goes_by(
    pace: Pace, faults: tuple[str, ...], longest_s: float | None, played: Pace, gap_us: int
) -> None:
    """Seconds of a fault are seconds whatever the pace; a silence lasts half as long as the
    client will wait, at most."""
    found, bends = timed(pace, map(read_fault, faults), longest_s)
    assert found == played
    recording = stalled()
    for bend in bends:
        recording = bend(recording)
    pieces = recording.exchanges[0].pieces
    assert pieces[2].at_us - pieces[1].at_us == gap_us


@pytest.mark.parametrize("pace", [MAX, Pace(1.0), Pace(100.0)])
@pytest.mark.parametrize(
    ("was_s", "longest_s", "gap_us"),
    [
        # It gave up, and gives up again: twice its patience is enough.
        (300, 4.0, 8_000_000),
        (3, 4.0, 6_000_000),
        (300, 3_600.0, 300_010_000),
        # It bore that, and bears it again, at any pace.
        (301, 4.0, 2_000_000),
    ],
)
def test_a_silence_does_what_it_did(pace: Pace, was_s: int, longest_s: float, gap_us: int) -> None:
    """A client that would not bear it does not bear it with less patience; one that would does."""
    was = Patience(was_s * 1000)
    hurried = Hurried(("codex",), was, was.at_most(round(longest_s * 1000)))
    played, bends = timed(pace, (), longest_s, hurried)
    assert played == Pace(1.0)
    recording = stalled()
    for bend in bends:
        recording = bend(recording)
    pieces = recording.exchanges[0].pieces
    found_us = pieces[2].at_us - pieces[1].at_us
    assert found_us == (1 if pace == MAX and was_s == 301 else gap_us)
