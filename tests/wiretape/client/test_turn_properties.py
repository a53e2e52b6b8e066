"""What holds of every turn, whatever the wire does."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from wiretape.client.actions import (
    Ask,
    Fail,
    Finish,
    Post,
    Printed,
    PrintedKind,
    RunTools,
    Upgrade,
    WarmUp,
)
from wiretape.client.config import Config, Provider
from wiretape.client.decoding import decode
from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DIALECTS
from wiretape.client.events import Completed
from wiretape.client.failures import Failure
from wiretape.client.session import Session
from wiretape.client.streams import ResponseStream
from wiretape.client.transport import Transport
from wiretape.client.turn import PHASES, Output, Phase, Turn
from wiretape.client.wire import (
    Breakage,
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


def event(kind: str, **fields: object) -> str:
    """The text of an event."""
    return json.dumps({"type": kind, **fields})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
kinds = st.sampled_from(
    [
        "response.created",
        "response.output_item.done",
        "response.output_text.delta",
        "response.completed",
        "response.done",
        "response.failed",
        "response.incomplete",
        "codex.rate_limits",
        "error",
        "response.never.heard.of",
    ]
)
names = st.sampled_from(
    ["response", "item", "delta", "summary_index", "content_index", "error", "status", "headers"]
)
odd_texts = st.text(max_size=20) | st.builds(
    lambda kind, fields: event(kind, **fields), kinds, st.dictionaries(names, json_values)
)
telling_texts = st.sampled_from(
    [
        event("response.created", response={}),
        event("response.completed", response={"id": "r1"}),
        event("response.completed", response={}),
        event("response.done"),
        event("response.failed", response={"error": {"code": "server_error", "message": "boom"}}),
        event("response.failed", response={"error": {"code": "insufficient_quota"}}),
        event("response.incomplete", response={}),
        event(
            "response.output_item.done",
            item={"type": "function_call", "name": "f", "arguments": "", "call_id": "c"},
        ),
        event("error", status=429, error={"message": "slow"}),
    ]
)
happenings = st.one_of(
    st.just(Opened()),
    st.builds(Refused, st.sampled_from([400, 401, 404, 426, 429, 500, 503])),
    st.sampled_from([Unreachable("nobody"), Unanswered("cut"), TimedOut(), Ended()]),
    st.sampled_from([Closed(1000), Broken(Breakage.BODY_CUT), SaidBytes(b"x"), Pinged()]),
    st.builds(Said, telling_texts),
    st.builds(Said, odd_texts),
)
_ANSWERED = Said(event("response.completed", response={"id": "r1"}))
good_turns = st.sampled_from([[Opened(), _ANSWERED], [Opened(), _ANSWERED, _ANSWERED], [_ANSWERED]])
"""Those that end well, on a new socket, after a warm-up, or on a socket that was kept."""
dialects = st.sampled_from(DIALECTS)


@settings(deadline=None)
@given(odd_texts, dialects)
def test_decoding_takes_any_text(text: str, dialect: Dialect) -> None:
    """Whatever the wire says is an event, a failure, or ignored; nothing raises."""
    assert decode(text, dialect) is not None


@settings(deadline=None)
@given(st.sampled_from(Transport), dialects, st.lists(happenings, max_size=12))
def test_a_stream_has_one_end_and_nothing_after_it(
    transport: Transport, dialect: Dialect, inputs: list[Input]
) -> None:
    """A ``Completed`` or a ``Failure`` comes once, last, and exactly when the stream is over."""
    stream = ResponseStream(transport, dialect)
    given_out = []
    for happening in inputs:
        try:
            given_out += stream.receive(happening)
        except ValueError:
            continue
    ends = [each for each in given_out if isinstance(each, Completed | Failure)]
    assert len(ends) == int(stream.is_over)
    assert ends == given_out[-1:] or not ends


@settings(max_examples=300, deadline=None)
@given(
    dialect=dialects,
    websocket=st.booleans(),
    is_first=st.booleans(),
    stream_retries=st.integers(0, 3),
    post_retries=st.integers(0, 2),
    inputs=st.lists(happenings, max_size=60),
)
def test_a_turn_keeps_to_its_budgets(
    dialect: Dialect,
    websocket: bool,
    is_first: bool,
    stream_retries: int,
    post_retries: int,
    inputs: list[Input],
) -> None:
    """One ``Completed`` a request, one fallback a session, attempts within budget, one end."""
    provider = Provider(
        "local",
        "http://host/v1",
        supports_websockets=websocket,
        stream_max_retries=stream_retries,
        request_max_retries=post_retries,
    )
    config = Config(provider, {}, {"responses_websockets": True})
    turn = Turn(config, dialect, Session(is_new=is_first))
    request = turn.start()
    everything = list(request)
    requests = [request]
    for happening in inputs:
        if type(happening) not in PHASES[turn.phase] or isinstance(happening, Unreachable):
            continue  # a client without a network may wait for ever, outside any budget
        outputs = turn.receive(happening)
        request += outputs
        everything += outputs
        if turn.phase is Phase.RESTING and any(isinstance(each, RunTools) for each in outputs):
            request = turn.follow_up()
            everything += request
            requests.append(request)
    for each in requests:
        check_request(each, stream_retries, post_retries)
    warnings = [out for out in everything if said_as(out, PrintedKind.WARNING)]
    assert len(warnings) <= int(websocket)
    ends = [out for out in everything if isinstance(out, Finish | Fail)]
    assert len(ends) == int(turn.phase is Phase.OVER)
    if not websocket:
        assert not any(isinstance(out, Upgrade | Ask) for out in everything)


@settings(max_examples=200, deadline=None)
@given(
    dialect=dialects,
    is_new=st.booleans(),
    turns=st.lists(good_turns | st.lists(happenings, max_size=20), min_size=2, max_size=4),
)
def test_a_session_keeps_its_socket_and_falls_back_once(
    dialect: Dialect, is_new: bool, turns: list[list[Input]]
) -> None:
    """Over several turns: nothing is asked on a socket that is not open, no turn but the first
    warms up, and after the fallback there are no sockets."""
    provider = Provider("local", "http://host/v1", supports_websockets=True, stream_max_retries=1)
    config = Config(provider, {}, {"responses_websockets": True})
    session = Session(is_new=is_new)
    for number, inputs in enumerate(turns):
        is_open = session.socket_head is not None
        assert not is_open or (dialect.keeps_socket and number > 0)
        turn = Turn(config, dialect, session)
        outputs = turn.start()
        assert isinstance(outputs[0], Ask) == is_open
        for happening in inputs:
            if type(happening) not in PHASES[turn.phase]:
                continue
            has_fallen_back = session.switch.is_on
            came = turn.receive(happening)
            if turn.phase is Phase.RESTING and any(isinstance(each, RunTools) for each in came):
                came += turn.follow_up()
            assert not (has_fallen_back and any(isinstance(each, Upgrade | Ask) for each in came))
            outputs += came
        assert number == 0 or not any(isinstance(each, WarmUp) for each in outputs)
        if turn.phase is not Phase.OVER:
            return


def check_request(outputs: list[Output], stream_retries: int, post_retries: int) -> None:
    """Bounds of one request: attempts on each transport, and what it completed."""
    assert sum(isinstance(out, Completed) for out in outputs) <= 1
    # The early connection and a warm-up that failed may each cost one upgrade more.
    assert sum(isinstance(out, Upgrade) for out in outputs) <= 1 + stream_retries + 2
    assert sum(isinstance(out, Ask) for out in outputs) <= 1 + stream_retries
    assert sum(isinstance(out, Post) for out in outputs) <= (1 + stream_retries) * (
        1 + post_retries
    )
    retries = sum(said_as(out, PrintedKind.ERROR) for out in outputs)
    assert retries <= 2 * stream_retries


def said_as(output: Output, kind: PrintedKind) -> bool:
    """Whether it is printed in this way."""
    return isinstance(output, Printed) and output.kind is kind
