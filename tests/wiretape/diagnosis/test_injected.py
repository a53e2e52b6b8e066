"""Faults that a replay was asked for are not held against the server."""

from dataclasses import replace

from timed_tapes import LABEL, TapeMaker, ask, completed, created
from troubled_tapes import S1, answer, silent_on_both, the_finding

from wiretape.diagnosis.kinds import Kind
from wiretape.facts import EndKind, Sender
from wiretape.fault_places import Injected, Place, injected_on

INJECTED = "The replay let this happen, as --fault asked: no server and no network failed."


def _cut_twice(maker: TapeMaker, faults: str | None) -> None:
    """One answer, and one that is cut two times before it comes."""
    maker.label = replace(LABEL, made_by="replay", faults=faults)
    answer(maker, 0, "one")
    for at_ms in (10, 20):
        post = maker.post(at_ms, ask("two"), S1)
        post.head(at_ms + 1)
        post.events(at_ms + 2, created())
        post.end(at_ms + 3, EndKind.SERVER_CLOSED, Sender.SERVER)
    maker.post(30, ask("two"), S1).answer(31, created(), completed())


def test_a_fault_at_that_place_is_named_and_the_server_is_not_blamed(maker: TapeMaker) -> None:
    """Both attempts that failed are the fault's."""
    _cut_twice(maker, '["2x2.2:cut"]')
    found = the_finding(maker, Kind.CLOSED_EARLY)
    assert found.what == (
        "HTTP ended 2 times before the answer was complete: the server hung up "
        "(injected: 2x2.2:cut)"
    )
    assert (found.meaning, found.advice) == (INJECTED, "Look at what the client makes of it.")


def test_what_failed_besides_is_advised_on_as_ever(maker: TapeMaker) -> None:
    """The fault explains one of two, and is said to."""
    _cut_twice(maker, '["2.2:cut"]')
    found = the_finding(maker, Kind.CLOSED_EARLY)
    assert found.what.endswith("the server hung up (injected in 1 of 2 tries: 2.2:cut)")
    assert found.meaning != INJECTED


def test_a_fault_after_a_fallback_has_not_brought_it_about(maker: TapeMaker) -> None:
    """What was injected over HTTP says nothing of the WebSocket that failed before."""
    maker.label = replace(LABEL, made_by="replay", faults='["1#3:cut"]')
    silent_on_both(maker)
    found = the_finding(maker, Kind.FALLBACK)
    assert "injected" not in found.what


def test_a_fault_elsewhere_explains_nothing(maker: TapeMaker) -> None:
    """Not even in the same request, on another attempt."""
    _cut_twice(maker, '["1:cut", "2#3:cut", "2/2:cut"]')
    found = the_finding(maker, Kind.CLOSED_EARLY)
    assert found.what.endswith("the server hung up")
    assert found.meaning != INJECTED


def test_the_faults_of_a_label_are_read() -> None:
    """What cannot be read is left out; a label without faults has none."""
    assert injected_on('["2.1:close=1011,busy", "later/than/this"]') == (
        Injected("2.1:close=1011,busy", Place(2, event=1)),
    )
    assert injected_on(None) == ()
