"""Whatever is left out on a socket, the server has the whole request."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from wiretape.client.dialect import Dialect, Incremental
from wiretape.client.dialects import DIALECTS
from wiretape.client.requests import Request, SocketRequests

items = st.lists(st.sampled_from("abc").map(lambda name: {"type": name}), max_size=3)


@dataclass(frozen=True)
class Step:
    """One request and its answer. ``kept`` says how the input goes on from what was said:
    ``all``, without the answer (``asked``), or from nothing."""

    kept: str
    new: list[dict[str, Any]]
    model: str
    answer: list[dict[str, Any]]
    response_id: str
    ends_with_done: bool


steps = st.builds(
    Step,
    st.sampled_from(["all", "all", "asked", "nothing"]),
    items,
    st.sampled_from(["m", "m", "m", "n"]),
    items,
    st.sampled_from(["r1", "r2", "r3", ""]),
    st.booleans(),
)


@given(st.sampled_from(DIALECTS), st.lists(steps, max_size=6))
def test_a_server_has_each_whole_request(dialect: Dialect, given_steps: list[Step]) -> None:
    """What it heard before and what it hears now are the request's body, in every dialect."""
    socket = SocketRequests(dialect)
    input_: list[dict[str, Any]] = []
    answer: list[dict[str, Any]] = []
    heard: dict[str, Any] = {}
    for step in given_steps:
        before = {"all": [*input_, *answer], "asked": input_, "nothing": []}[step.kept]
        input_ = [*before, *step.new]
        # The documented client looks at the input alone, and never changes its model on a socket.
        model = "m" if dialect.incremental is Incremental.APPEND else step.model
        request = Request(model=model, instructions="", input=input_, conversation_id="t")
        heard = understood(socket.ask(request), heard, answer, dialect)
        assert heard == request.body()
        answer = step.answer
        socket.completed(step.response_id, answer, ended_with_done=step.ends_with_done)


def understood(
    message: dict[str, Any], heard: dict[str, Any], answer: list[Any], dialect: Dialect
) -> dict[str, Any]:
    """The body that a server makes of a message, after the request ``heard`` and its answer."""
    said = {key: value for key, value in message.items() if key != "type"}
    if message["type"] == "response.append":
        repeats_answer = dialect.incremental is Incremental.APPEND
        before = heard["input"] if repeats_answer else [*heard["input"], *answer]
        return {**heard, **said, "input": [*before, *said["input"]]}
    if said.pop("previous_response_id", None) is not None:
        said["input"] = [*heard["input"], *answer, *said["input"]]
    return said
