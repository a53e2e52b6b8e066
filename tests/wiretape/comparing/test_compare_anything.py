"""Whatever is on two tapes, they can be compared; and each is equal to itself."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from any_recordings import recordings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tapes import COMPLETE, CUT, Recording, answer, asks, create, message, says, sse, wants

from wiretape.comparing.compare import compare_sessions
from wiretape.comparing.sessions import paired_sessions
from wiretape.reconstruct import sessions_of
from wiretape.store_reader import TapeReader
from wiretape.store_recording import reader_of

CHEAP = settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
ITEMS = st.sampled_from([message("hi"), message("ho")]) | VALUES
BODIES = st.builds(
    lambda items, more: create(input=items) | more,
    st.lists(ITEMS, max_size=4),
    st.sampled_from([{}, {"generate": False}, {"input": "text"}, {"tools": None}]),
)


@st.composite
def talks(draw: st.DrawFn) -> Recording:
    """Odd things, asked over either transport and answered with odd ones."""
    recording = Recording()
    for number in range(draw(st.integers(0, 4))):
        body, said = draw(BODIES), draw(VALUES)
        events = (*answer(str(number), f"resp_{number}"), {"type": "response.odd", "odd": said})
        if draw(st.booleans()):
            recording.post(body, sse(*events), draw(st.sampled_from([CUT, COMPLETE])))
        else:
            recording.socket(wants(asks() | body), says(*events), wants(asks() | body))
    return recording


def divergences(one: TapeReader, other: TapeReader) -> list[Any]:
    """Everything in which two tapes differ; sessions that stand alone included."""
    pairs = paired_sessions(sessions_of(one), one, sessions_of(other), other)
    found: list[Any] = []
    for a, b in pairs:
        if a is None or b is None:
            found.append((a, b))
        else:
            found += compare_sessions(a, one, b, other).divergences
    return found


@CHEAP
@given(recordings())
def test_any_recording_is_equal_to_itself(recording: Any) -> None:
    """However broken it is."""
    with reader_of(recording, Path("any")) as one, reader_of(recording, Path("any")) as other:
        assert divergences(one, other) == []


@contextmanager
def written(*talks: Recording) -> Iterator[list[TapeReader]]:
    """Readers of these recordings."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        paths = [talk.write(Path(folder) / f"{at}.db") for at, talk in enumerate(talks)]
        yield [stack.enter_context(TapeReader(path)) for path in paths]


@CHEAP
@given(talks())
def test_any_talk_is_equal_to_itself(talk: Recording) -> None:
    """With requests and answers as odd as can be."""
    with written(talk) as (reader,):
        assert divergences(reader, reader) == []


@CHEAP
@given(talks(), talks())
def test_any_two_talks_can_be_compared(one: Recording, other: Recording) -> None:
    """Whichever stands first: they are equal from both sides, or from neither."""
    with written(one, other) as (a, b):
        assert bool(divergences(a, b)) is bool(divergences(b, a))
