"""A recorded session held against the documented client: equal, as far as it goes."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from codex_tapes import (
    CALL,
    HELLO,
    NEW,
    NEW_UPGRADE,
    OLD,
    OLD_UPGRADE,
    OUTPUT,
    SAID,
    WARMED_UP,
    answer,
    answers,
    appends,
    asked,
    asks,
    created,
    done,
    post,
)
from tapes import (
    CUT,
    LEFT,
    OTHER_SESSION,
    RESET,
    SESSION,
    Ending,
    Recording,
    close_frame,
    message,
    server_closed,
    sse,
)
from timed_tapes import TapeMaker, ask, completed, session
from timed_tapes import created as made
from timed_tapes import done as item_done

from replayer.reference.verify import Verdict, Verified, verify_tape
from wiretape.client.actions import Printed
from wiretape.facts import EndKind
from wiretape.store_reader import TapeReader

type Verify = Callable[..., Verified]

CLOSED = server_closed(1011)
STOPPED = Ending(EndKind.RECORDER_STOPPED)


def printed(found: Verified) -> list[str]:
    """What the documented client prints in the course of it."""
    assert found.course is not None
    return [step.output.line for step in found.course.steps if isinstance(step.output, Printed)]


def is_equal(found: Verified) -> bool:
    """Whether the verdict is equal, every act is explained, and each request is as recorded."""
    assert found.course is not None and found.report is not None
    counts = found.report.counts()
    return (
        found.verdict is Verdict.EQUAL
        and found.course.cut is None
        and found.course.acts == len(found.session.acts)
        and counts["exact"] == counts["requests"] == len(found.session.acts)
    )


# Sessions as the documented client has them.


def one_answer() -> Recording:
    """A question and its answer."""
    recording = Recording()
    post(recording, (HELLO,), answer(SAID))
    return recording


def two_rounds() -> Recording:
    """A call, its output, an answer; over HTTP."""
    recording = Recording()
    post(recording, (HELLO,), answer(CALL))
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID, response="r2"))
    return recording


def two_turns() -> Recording:
    """The user asks twice."""
    recording = two_rounds()
    again = message("again")
    post(recording, (HELLO, CALL, OUTPUT, SAID, again), answer(SAID, response="r3"))
    return recording


def appended() -> Recording:
    """Two rounds on a socket of the older client."""
    recording = Recording()
    recording.socket(
        asks(HELLO),
        answers(CALL),
        appends(CALL, OUTPUT),
        answers(SAID, response="r2"),
        asked_with=OLD_UPGRADE,
    )
    return recording


def warmed_up() -> Recording:
    """Two rounds on a socket of the newer client."""
    recording = Recording()
    recording.socket(
        *WARMED_UP,
        answers(CALL),
        asks(OUTPUT, previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    return recording


def two_turns_on_a_socket() -> Recording:
    """The next turn of the newer client goes on with the socket of the one before."""
    recording = Recording()
    recording.socket(
        *WARMED_UP,
        answers(SAID),
        asks(message("again"), previous_response_id="r1"),
        answers(SAID, response="r2"),
        asked_with=NEW_UPGRADE,
    )
    return recording


def socket_lost_between_turns() -> Recording:
    """The kept socket is closed while nothing is asked, and the next turn opens another."""
    recording = Recording()
    recording.socket(
        *WARMED_UP,
        [*answers(SAID), close_frame(1000)],
        ending=server_closed(1000),
        asked_with=NEW_UPGRADE,
    )
    recording.socket(
        asks(HELLO, SAID, message("again")), answers(SAID, response="r2"), asked_with=NEW_UPGRADE
    )
    return recording


def repeated_in_the_retry() -> Recording:
    """The newer client says again what the broken answer had finished."""
    recording = Recording()
    post(recording, (HELLO,), (created(), done(CALL)), CUT, agent=NEW)
    post(recording, (HELLO, CALL, OUTPUT), answer(SAID), agent=NEW)
    return recording


def remembered_after_the_retry() -> Recording:
    """The older client says it only in the request after the retry."""
    recording = Recording()
    post(recording, (HELLO,), (created(), done(SAID)), CUT)
    post(recording, (HELLO,), answer(CALL))
    post(recording, (HELLO, SAID, CALL, OUTPUT), answer(SAID, response="r2"))
    return recording


def retried() -> Recording:
    """A stream is cut, and the request made again."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), CUT)
    post(recording, (HELLO,), answer(SAID))
    return recording


def fallen_back() -> Recording:
    """Each socket is closed, until the client turns to HTTP."""
    recording = Recording()
    for _ in range(3):
        recording.socket(asks(HELLO), [close_frame(1011)], ending=CLOSED, asked_with=OLD_UPGRADE)
    post(recording, (HELLO,), answer(SAID))
    return recording


def given_up() -> Recording:
    """Each POST is answered 500, until the client gives up."""
    recording = Recording()
    for _ in range(4):
        recording.post(asked(HELLO), (b"{}",), status=500, asked_with=OLD)
    return recording


@pytest.mark.parametrize(
    "make",
    [
        one_answer,
        two_rounds,
        two_turns,
        appended,
        warmed_up,
        two_turns_on_a_socket,
        socket_lost_between_turns,
        repeated_in_the_retry,
        remembered_after_the_retry,
        retried,
        fallen_back,
        given_up,
    ],
)
def test_what_the_documented_client_would_do_is_equal(
    make: Callable[[], Recording], verified: Verify
) -> None:
    """Every act is explained, and on sockets each request is asked exactly as recorded."""
    assert is_equal(verified(make()))


def test_a_426_sends_the_client_to_http_at_once(verified: Verify) -> None:
    """The first refusal is passed over, the second is the fallback, and nothing is printed."""
    recording = Recording()
    recording.refused_upgrade(426)
    recording.refused_upgrade(426)
    post(recording, (HELLO,), answer(SAID))
    found = verified(recording)
    assert found.verdict is Verdict.EQUAL
    assert found.course is not None and found.course.acts == 3
    assert printed(found) == []


def test_the_words_of_the_client_are_those_of_the_model(verified: Verify) -> None:
    """What it prints is no part of a tape, and is said with the budget that was found."""
    why = "stream disconnected before completion: "
    closed = f"{why}websocket closed by server before response.completed"
    assert printed(verified(fallen_back())) == [
        f"Reconnecting... 1/2 ({closed})",
        f"Reconnecting... 2/2 ({closed})",
        f"Falling back from WebSockets to HTTPS transport. {closed}",
    ]


@pytest.mark.parametrize(
    ("make", "stream_retries", "request_retries"),
    [
        (one_answer, 5, 4),
        (retried, 5, 4),
        (fallen_back, 2, 4),
        (given_up, 1, 1),
    ],
)
def test_budgets_are_the_defaults_unless_the_recording_shows_others(
    make: Callable[[], Recording], stream_retries: int, request_retries: int, verified: Verify
) -> None:
    """The configuration is on no tape: what explains the recording is assumed."""
    provider = verified(make()).provider
    assert provider is not None
    assert provider.stream_max_retries == stream_retries
    assert provider.request_max_retries == request_retries


def test_no_budget_at_all_is_believed_where_a_fallback_shows_it(verified: Verify) -> None:
    """A single failure, then HTTP: that client had no retries."""
    recording = Recording()
    recording.socket(asks(HELLO), [close_frame(1011)], ending=CLOSED, asked_with=OLD_UPGRADE)
    post(recording, (HELLO,), answer(SAID))
    found = verified(recording)
    assert is_equal(found)
    assert found.provider is not None and found.provider.stream_max_retries == 0


def test_a_silence_after_which_the_client_tries_again_was_too_long(verified: Verify) -> None:
    """It hung up, and asked for the same: its idle timeout had passed."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), LEFT)
    post(recording, (HELLO,), answer(SAID))
    found = verified(recording)
    assert is_equal(found)
    assert printed(found) == [
        "Reconnecting... 1/5 (stream disconnected before completion: idle timeout waiting for SSE)"
    ]


# Recordings that end before the client does.


def hung_up() -> Recording:
    """The client leaves in the middle of an answer, and does not come back."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), LEFT)
    return recording


def interrupted() -> Recording:
    """The user interrupts an answer to ask for something else."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), LEFT)
    post(recording, (HELLO, message("rather this")), answer(SAID))
    return recording


def stopped() -> Recording:
    """The recorder is stopped in the middle of an answer."""
    recording = Recording()
    post(recording, (HELLO,), (created(),), STOPPED)
    return recording


def stopped_while_tools_run() -> Recording:
    """The recorder is stopped when an answer is complete, and its tools run."""
    recording = Recording()
    recording.socket(asks(HELLO), answers(CALL), ending=STOPPED, asked_with=OLD_UPGRADE)
    return recording


def only_warmed_up() -> Recording:
    """The newer client warms up, and nobody asks it for anything."""
    recording = Recording()
    recording.socket(*WARMED_UP[:2], ending=LEFT, asked_with=NEW_UPGRADE)
    return recording


def warmed_up_in_vain() -> Recording:
    """The warm-up breaks off, and nobody asks for anything."""
    recording = Recording()
    recording.socket(WARMED_UP[0], [close_frame(1011)], ending=CLOSED, asked_with=NEW_UPGRADE)
    return recording


def compacted_within_a_turn() -> Recording:
    """The client makes its history shorter before it sends what its tools gave."""
    recording = Recording()
    post(recording, (HELLO,), answer(CALL))
    recording.post(asked(), (b"{}",), path="/responses/compact", asked_with=OLD)
    post(recording, (message("what was compacted"), CALL, OUTPUT), answer(SAID))
    return recording


def not_awaited() -> Recording:
    """The client leaves before any answer."""
    recording = Recording()
    recording.post(asked(HELLO), (), LEFT, status=None, asked_with=OLD)
    return recording


def never_used() -> Recording:
    """A socket is opened, and nothing asked on it."""
    recording = Recording()
    recording.socket(asked_with=OLD)
    return recording


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (hung_up, "the recorded client hung up in the middle of an answer"),
        (interrupted, "the recorded client hung up in the middle of an answer"),
        (stopped, "the recording stops"),
        (stopped_while_tools_run, "the recording stops"),
        (compacted_within_a_turn, "the conversation was compacted"),
        (not_awaited, "the recorded client hung up before any answer"),
        (never_used, "the recorded client left before it asked anything"),
        (only_warmed_up, "the recorded client warmed up, and asked for nothing"),
        (warmed_up_in_vain, "the recorded client warmed up, and asked for nothing"),
    ],
)
def test_a_recording_that_ends_early_is_equal_as_far_as_it_goes(
    make: Callable[[], Recording], why: str, verified: Verify
) -> None:
    """What cannot be known is no divergence, and the verdict says up to where it holds."""
    found = verified(make())
    assert found.verdict is Verdict.EQUAL
    assert found.course is not None and found.course.cut == why


def test_a_warm_up_alone_is_asked_as_recorded(verified: Verify) -> None:
    """What the warm-up of the documented client says comes from the recorded one."""
    report = verified(only_warmed_up()).report
    assert report is not None
    assert (report.counts()["exact"], report.counts()["different"]) == (2, 0)


def test_a_socket_that_is_reset_while_tools_run_is_replaced(verified: Verify) -> None:
    """A newer client notices the end of an idle socket, and says everything on a new one."""
    recording = Recording()
    recording.socket(asks(HELLO), answers(CALL), ending=RESET, asked_with=NEW_UPGRADE)
    recording.socket(asks(HELLO, CALL, OUTPUT), answers(SAID), asked_with=NEW_UPGRADE)
    assert is_equal(verified(recording))


def test_a_recorder_that_was_killed_has_not_seen_what_follows(tmp_path: Path) -> None:
    """That nothing more was recorded says nothing of a client whose tools were running."""
    maker = TapeMaker(tmp_path / "tape.db", is_cut_off=True)
    maker.post(0, ask("hi"), session(SESSION)).answer(1, made("r"), item_done(CALL), completed("r"))
    with maker.read() as reader:
        (found,) = asyncio.run(verify_tape(reader, (), tell=pytest.fail))
    assert found.verdict is Verdict.EQUAL
    assert found.course is not None and found.course.cut == "the recording stops"


def test_what_follows_a_compaction_is_left_out(verified: Verify) -> None:
    """After it the conversation is another one."""
    recording = one_answer()
    at_us = recording.now_us + 10_000
    recording.post(asked(), (b"{}",), path="/responses/compact", asked_with=OLD)
    post(recording, (message("what was compacted"), message("go on")), answer(SAID))
    found = verified(recording)
    assert found.verdict is Verdict.EQUAL
    assert found.session.compacted_at_us == at_us
    assert len(found.session.acts) == 1


def test_what_follows_a_compaction_of_things_not_recorded_is_held_against_the_client(
    verified: Verify,
) -> None:
    """A recording that begins with a compaction has a conversation of its own."""
    recording = Recording()
    recording.post(asked(), (b"{}",), path="/responses/compact", asked_with=OLD)
    post(recording, (message("what was compacted"), HELLO), answer(SAID))
    found = verified(recording)
    assert found.verdict is Verdict.EQUAL
    assert (found.session.compacted_at_us, len(found.session.acts)) == (None, 1)


def test_another_client_is_not_compared(verified: Verify) -> None:
    """What the documents do not describe can neither be equal nor diverge."""
    recording = Recording()
    recording.post(
        asked(HELLO), sse(*answer(SAID)), asked_with=(("user-agent", "OpenAI/Python 2.0.0"),)
    )
    found = verified(recording)
    assert found.verdict is Verdict.NOT_COMPARABLE
    assert found.divergence is None


# Tapes of several sessions.


def test_each_session_has_its_own_verdict(tmp_path: Path) -> None:
    """One that diverges says nothing of the other."""
    recording = one_answer()
    recording.post(asked(HELLO), sse(created()), CUT, session=OTHER_SESSION, asked_with=OLD)
    with TapeReader(recording.write(tmp_path / "tape.db")) as reader:
        found = asyncio.run(verify_tape(reader, (), tell=pytest.fail))
        one = asyncio.run(verify_tape(reader, (OTHER_SESSION[:12],), tell=pytest.fail))
    assert [(each.session.id, each.verdict) for each in found] == [
        (SESSION, Verdict.EQUAL),
        (OTHER_SESSION, Verdict.DIVERGES),
    ]
    assert [each.session.id for each in one] == [OTHER_SESSION]
