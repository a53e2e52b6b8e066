"""Whatever is on a tape, it is put together, and nothing of it is lost or told twice."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from timed_tapes import (
    NEW_CODEX,
    OLD_CODEX,
    TapeMaker,
    call,
    completed,
    created,
    done,
    failed,
    message,
    output,
    reasoning,
    session,
)

from wiretape.attempts import attempts_of
from wiretape.diagnosis.diagnose import diagnose
from wiretape.facts import EndKind, Sender
from wiretape.reconstruct import sessions_of
from wiretape.said import Outcome

CALL_IDS = st.sampled_from(["c1", "c2", "c3"])
ITEMS = st.one_of(
    st.sampled_from(["hi", "more"]).map(message),
    st.just(message("hello", "assistant")),
    st.just(reasoning()),
    CALL_IDS.map(call),
    CALL_IDS.map(output),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["type", "role", "call_id", "output", "content", "id", "x"]), inner
            )
        ),
        max_leaves=6,
    ),
)
BODIES = st.one_of(
    st.binary(max_size=10),
    st.builds(
        lambda items, more: {"model": "m", "input": items} | more,
        st.lists(ITEMS, max_size=5),
        st.sampled_from(
            [
                {},
                {"generate": False},
                {"previous_response_id": "resp_1"},
                {"conversation": {"id": "conv"}},
                {"client_metadata": {"x-codex-turn-metadata": "{"}},
                {"input": "text"},
                {"input": 7},
            ]
        ),
    ),
)
EVENTS = st.one_of(
    st.just(created()),
    CALL_IDS.map(call).map(done),
    ITEMS.map(lambda item: {"type": "response.output_item.done", "item": item}),
    st.just(completed()),
    st.just(failed("rate_limit_exceeded", "try again in 1s")),
    st.text(max_size=8),
    ITEMS.map(lambda item: {"type": "error", "error": item}),
    ITEMS.map(lambda item: {"type": "response.completed", "response": item}),
)
ENDS = st.sampled_from([None, *EndKind])
STATUSES = st.sampled_from([None, 200, 200, 200, 400, 426, 429, 500])
SESSIONS = st.sampled_from([(), session("s1"), session("s2")])
EXCHANGES = st.tuples(
    st.booleans(),
    st.lists(BODIES, min_size=1, max_size=3),
    st.lists(EVENTS, max_size=4),
    STATUSES,
    ENDS,
    SESSIONS,
)


def write(maker: TapeMaker, exchanges: list[Any]) -> None:
    """Each exchange a little later than the one before, and overlapping with it."""
    for at, (is_socket, bodies, events, status, end, headers) in enumerate(exchanges):
        at_ms = at * 10.0
        if is_socket and status == 200:
            socket = maker.socket(at_ms, headers)
            for number, body in enumerate(bodies):
                said = body if isinstance(body, dict) else {"input": [str(body)]}
                socket.ask(at_ms + 2 + number * 7, said)
                socket.say(at_ms + 5 + number * 7, *events)
            if end is not None:
                socket.end(at_ms + 30, end, Sender.CLIENT)
            continue
        http = maker.upgrade(at_ms, headers) if is_socket else maker.post(at_ms, bodies[0], headers)
        if status is not None:
            http.head(at_ms + 1, status)
            http.events(at_ms + 3, *events)
        if end is not None:
            http.end(at_ms + 20, end, Sender.SERVER)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(EXCHANGES, min_size=1, max_size=6), st.sampled_from([OLD_CODEX, NEW_CODEX, None]))
def test_every_attempt_has_one_place(exchanges: list[Any], agent: str | None) -> None:
    """In one request of one session; only sockets that nothing was asked on have none."""
    with TemporaryDirectory() as folder:
        maker = TapeMaker(Path(folder) / "tape.db", agent)
        write(maker, exchanges)
        with maker.read() as reader:
            tried = Counter(
                (seen.attempt.exchange, seen.attempt.message)
                for exchange in reader.exchanges()
                for seen in attempts_of(reader, exchange)
                if seen.attempt.outcome is not Outcome.CONNECTED
            )
            found = sessions_of(reader)
            diagnosis = diagnose(reader)
    placed = Counter(
        (each.attempt.exchange, each.attempt.message)
        for each_session in found
        for each in each_session.tries
    )
    assert placed == tried
    for each_session in found:
        numbers = [request.number for request in each_session.requests]
        assert numbers == list(range(1, len(numbers) + 1))
        assert sum(len(turn.requests) for turn in each_session.turns) == len(numbers)
        assert [turn.number for turn in each_session.turns] == sorted(
            {request.turn for request in each_session.requests}
        )
    for finding in diagnosis.findings:
        assert finding.evidence
        assert finding.what
