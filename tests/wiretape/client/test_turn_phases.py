"""Each cell of a turn's table of phases."""

import pytest
from turns import ANSWERED, CALLED, COMPLETED, CREATED, play, turn

from wiretape.client.session import Session
from wiretape.client.turn import PHASES, Phase, Turn
from wiretape.client.wire import (
    Broken,
    Closed,
    Ended,
    Input,
    Opened,
    Pinged,
    Refused,
    Said,
    SaidBytes,
    TimedOut,
    Unanswered,
    Unreachable,
)

HAPPENINGS: dict[type[Input], Input] = {
    Opened: Opened(),
    Refused: Refused(404),
    Unreachable: Unreachable("x"),
    Unanswered: Unanswered("x"),
    Said: CREATED,
    SaidBytes: SaidBytes(b""),
    Pinged: Pinged(),
    Ended: Ended(),
    Closed: Closed(1000),
    Broken: Broken("x"),
    TimedOut: TimedOut(),
}
ALLOWED = {
    Phase.NEW: "Ended Closed Broken",
    Phase.PREWARMING: "Opened Refused Unreachable Unanswered TimedOut",
    Phase.WARMING_UP: "Said SaidBytes Pinged Ended Closed Broken TimedOut",
    Phase.UPGRADING: "Opened Refused Unreachable Unanswered TimedOut",
    Phase.ON_WEBSOCKET: "Said SaidBytes Pinged Ended Closed Broken TimedOut",
    Phase.POSTING: "Opened Refused Unreachable Unanswered",
    Phase.ON_SSE: "Said Ended Broken TimedOut",
    Phase.RESTING: "Ended Closed Broken",
    Phase.OVER: "",
}


def turn_in(phase: Phase) -> Turn:
    """A turn that has come to this phase."""
    played = turn(
        version=(0, 169),
        websocket=phase not in (Phase.POSTING, Phase.ON_SSE),
        session=Session(is_new=phase in (Phase.PREWARMING, Phase.WARMING_UP)),
    )
    ways: dict[Phase, tuple[Input, ...]] = {
        Phase.PREWARMING: (),
        Phase.WARMING_UP: (Opened(),),
        Phase.UPGRADING: (),
        Phase.ON_WEBSOCKET: (Opened(),),
        Phase.POSTING: (),
        Phase.ON_SSE: (Opened(),),
        Phase.RESTING: (Opened(), CALLED, COMPLETED),
        Phase.OVER: ANSWERED,
    }
    if phase is not Phase.NEW:
        play(played, *ways[phase])
    assert played.phase is phase
    return played


@pytest.mark.parametrize("kind", HAPPENINGS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("phase", Phase)
def test_each_cell_of_the_phase_table(phase: Phase, kind: type[Input]) -> None:
    """In each phase, what can happen is taken in and what cannot is refused."""
    played = turn_in(phase)
    if kind.__name__ in ALLOWED[phase].split():
        played.receive(HAPPENINGS[kind])
        assert kind in PHASES[phase]
    else:
        with pytest.raises(ValueError, match=f"while {phase}"):
            played.receive(HAPPENINGS[kind])


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.NEW])
def test_a_turn_starts_once(phase: Phase) -> None:
    """Starting again is the caller's mistake."""
    with pytest.raises(ValueError, match="cannot start"):
        turn_in(phase).start()


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.RESTING])
def test_only_a_resting_turn_has_a_follow_up(phase: Phase) -> None:
    """Without a call to answer there is nothing to follow up."""
    with pytest.raises(ValueError, match="no follow-up"):
        turn_in(phase).follow_up()
