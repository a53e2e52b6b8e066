"""The real Codex, straight against the scripted provider: what it does in every situation.

The table says what a run looks like from both ends when nothing stands between them. What is
built to stand there is held against such runs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from certificates import loopback_certificate
from codex_run import CodexRun, normalised, run_codex
from provider import Provider
from provider_log import Ask
from situations import ANSWER, PROMPT, SITUATIONS, Transport, Version

pytestmark = pytest.mark.codex

SSE, WEBSOCKET = Transport
OLD, NEW = Version

NO_METADATA = (
    "Model metadata for `gpt-5.2-codex` not found. Defaulting to fallback metadata; "
    "this can degrade performance and cause issues."
)
"""The newer client's first words with a model that it does not know; nothing to do with us."""

UNREAD = (
    "stream disconnected before completion: "
    "Transport error: network error: error decoding response body"
)
CLOSED = (
    "stream disconnected before completion: websocket closed by server before response.completed"
)
DROPPED = (
    "stream disconnected before completion: "
    "WebSocket protocol error: Connection reset without closing handshake"
)
RESET = "stream disconnected before completion: IO error: Connection reset by peer (os error 104)"
SSE_IDLE = "stream disconnected before completion: idle timeout waiting for SSE"
WEBSOCKET_IDLE = "stream disconnected before completion: idle timeout waiting for websocket"
DEMAND = "We're currently experiencing high demand, which may cause temporary errors."
DEMAND_TODAY = DEMAND.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
FALLBACK = "Falling back from WebSockets to HTTPS transport. "
TOO_MANY = "exceeded retry limit, last status: 429 Too Many Requests"
TOO_LONG = (
    "Codex ran out of room in the model's context window. "
    "Start a new thread or clear earlier history before retrying."
)
REFUSAL = '{"error":{"message":"A scripted refusal","type":"scripted_error","code":null}}'
REFUSED_EVENT = (
    '{\n  "error": {\n    "type": "invalid_request_error",\n'
    '    "message": "A scripted refusal"\n  }\n}'
)
REFUSED_EVENT_TODAY = (
    '{"type":"error","status":400,'
    '"error":{"type":"invalid_request_error","message":"A scripted refusal"}}'
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the provider was asked, what the client complained of, and its exit code.

    A run that exits with 0 ends with the answer, any other without one.
    """

    asked: str
    complaints: tuple[str, ...] = ()
    exit_code: int | None = 0


OUTCOMES: dict[tuple[str, Transport, Version], Outcome] = {
    ("answer", SSE, OLD): Outcome("sse"),
    ("answer", SSE, NEW): Outcome("sse"),
    ("answer", WEBSOCKET, OLD): Outcome("upgrade websocket"),
    ("answer", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket"),
    ("tool-round", SSE, OLD): Outcome("sse sse"),
    ("tool-round", SSE, NEW): Outcome("sse sse"),
    ("tool-round", WEBSOCKET, OLD): Outcome("upgrade websocket websocket"),
    ("tool-round", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket websocket"),
    ("three-rounds", SSE, OLD): Outcome("sse sse sse sse"),
    ("three-rounds", SSE, NEW): Outcome("sse sse sse sse"),
    ("three-rounds", WEBSOCKET, OLD): Outcome("upgrade websocket websocket websocket websocket"),
    ("three-rounds", WEBSOCKET, NEW): Outcome(
        "upgrade warm-up websocket websocket websocket websocket"
    ),
    ("too-many-requests", SSE, OLD): Outcome("sse 429", (TOO_MANY,), 1),
    ("too-many-requests", SSE, NEW): Outcome("sse 429", (TOO_MANY,), 1),
    ("too-many-requests", WEBSOCKET, OLD): Outcome("upgrade 429 upgrade 429", (TOO_MANY,), 1),
    ("too-many-requests", WEBSOCKET, NEW): Outcome("upgrade 429 upgrade 429", (TOO_MANY,), 1),
    ("busy-then-answer", SSE, OLD): Outcome("sse 429", (TOO_MANY,), 1),
    ("busy-then-answer", SSE, NEW): Outcome("sse 429 sse", (f"Reconnecting... 1/2 ({TOO_MANY})",)),
    ("busy-then-answer", WEBSOCKET, OLD): Outcome("upgrade 429 upgrade websocket"),
    ("busy-then-answer", WEBSOCKET, NEW): Outcome("upgrade 429 upgrade websocket"),
    ("error-then-answer", SSE, OLD): Outcome("sse 500 sse"),
    ("error-then-answer", SSE, NEW): Outcome("sse 500 sse"),
    ("error-then-answer", WEBSOCKET, OLD): Outcome("upgrade 500 upgrade websocket"),
    ("error-then-answer", WEBSOCKET, NEW): Outcome("upgrade 500 upgrade websocket"),
    ("cut-then-answer", SSE, OLD): Outcome("sse sse", (f"Reconnecting... 1/2 ({UNREAD})",)),
    ("cut-then-answer", SSE, NEW): Outcome("sse sse", (f"Reconnecting... 1/2 ({UNREAD})",)),
    ("cut-then-answer", WEBSOCKET, OLD): Outcome(
        "upgrade websocket upgrade websocket", (f"Reconnecting... 1/2 ({CLOSED})",)
    ),
    # Over WebSocket the newer client keeps its first retry to itself.
    ("cut-then-answer", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket upgrade websocket"),
    ("closed-until-fallback", WEBSOCKET, OLD): Outcome(
        "upgrade websocket upgrade websocket upgrade websocket sse",
        (
            f"Reconnecting... 1/2 ({CLOSED})",
            f"Reconnecting... 2/2 ({CLOSED})",
            FALLBACK + CLOSED,
        ),
    ),
    ("closed-until-fallback", WEBSOCKET, NEW): Outcome(
        "upgrade warm-up upgrade websocket upgrade websocket upgrade websocket sse",
        (f"Reconnecting... 2/2 ({CLOSED})", FALLBACK + CLOSED),
    ),
    ("upgrade-426", WEBSOCKET, OLD): Outcome("upgrade 426 upgrade 426 sse"),
    ("upgrade-426", WEBSOCKET, NEW): Outcome("upgrade 426 sse"),
    ("upgrade-500", WEBSOCKET, OLD): Outcome(
        "upgrade 500 upgrade 500 upgrade 500 upgrade 500 sse",
        (
            f"Reconnecting... 1/2 ({DEMAND})",
            f"Reconnecting... 2/2 ({DEMAND})",
            FALLBACK + DEMAND,
        ),
    ),
    ("upgrade-500", WEBSOCKET, NEW): Outcome(
        "upgrade 500 upgrade 500 upgrade 500 upgrade 500 sse",
        (f"Reconnecting... 2/2 ({DEMAND_TODAY})", FALLBACK + DEMAND_TODAY),
    ),
    ("dropped-then-answer", WEBSOCKET, OLD): Outcome(
        "upgrade websocket upgrade websocket", (f"Reconnecting... 1/2 ({DROPPED})",)
    ),
    ("dropped-then-answer", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket upgrade websocket"),
    ("reset-then-answer", SSE, OLD): Outcome("sse sse", (f"Reconnecting... 1/2 ({UNREAD})",)),
    ("reset-then-answer", SSE, NEW): Outcome("sse sse", (f"Reconnecting... 1/2 ({UNREAD})",)),
    ("reset-then-answer", WEBSOCKET, OLD): Outcome(
        "upgrade websocket upgrade websocket", (f"Reconnecting... 1/2 ({RESET})",)
    ),
    ("reset-then-answer", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket upgrade websocket"),
    ("no-head-then-answer", SSE, OLD): Outcome("sse unanswered sse"),
    ("no-head-then-answer", SSE, NEW): Outcome("sse unanswered sse"),
    ("no-head-then-answer", WEBSOCKET, OLD): Outcome("upgrade unanswered upgrade websocket"),
    ("no-head-then-answer", WEBSOCKET, NEW): Outcome("upgrade unanswered upgrade websocket"),
    ("hang-then-answer", SSE, OLD): Outcome("sse sse", (f"Reconnecting... 1/2 ({SSE_IDLE})",)),
    ("hang-then-answer", SSE, NEW): Outcome("sse sse", (f"Reconnecting... 1/2 ({SSE_IDLE})",)),
    ("hang-then-answer", WEBSOCKET, OLD): Outcome(
        "upgrade websocket upgrade websocket", (f"Reconnecting... 1/2 ({WEBSOCKET_IDLE})",)
    ),
    ("hang-then-answer", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket upgrade websocket"),
    ("context-length", SSE, OLD): Outcome("sse", (TOO_LONG,), 1),
    ("context-length", SSE, NEW): Outcome("sse", (TOO_LONG,), 1),
    ("context-length", WEBSOCKET, OLD): Outcome("upgrade websocket", (TOO_LONG,), 1),
    ("context-length", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket", (TOO_LONG,), 1),
    ("invalid-prompt", SSE, OLD): Outcome("sse", ("The script refuses this.",), 1),
    ("invalid-prompt", SSE, NEW): Outcome("sse", ("The script refuses this.",), 1),
    ("invalid-prompt", WEBSOCKET, OLD): Outcome(
        "upgrade websocket", ("The script refuses this.",), 1
    ),
    ("invalid-prompt", WEBSOCKET, NEW): Outcome(
        "upgrade warm-up websocket", ("The script refuses this.",), 1
    ),
    ("error-event", WEBSOCKET, OLD): Outcome("upgrade websocket", (REFUSED_EVENT,), 1),
    ("error-event", WEBSOCKET, NEW): Outcome(
        "upgrade warm-up websocket", (REFUSED_EVENT_TODAY,), 1
    ),
    ("unknown-events", SSE, OLD): Outcome("sse"),
    ("unknown-events", SSE, NEW): Outcome("sse"),
    ("unknown-events", WEBSOCKET, OLD): Outcome("upgrade websocket"),
    ("unknown-events", WEBSOCKET, NEW): Outcome("upgrade warm-up websocket"),
    ("bad-request", SSE, OLD): Outcome("sse 400", (REFUSAL,), 1),
    ("bad-request", SSE, NEW): Outcome("sse 400", (REFUSAL,), 1),
    ("bad-request", WEBSOCKET, OLD): Outcome("upgrade 400 upgrade 400", (REFUSAL,), 1),
    ("bad-request", WEBSOCKET, NEW): Outcome("upgrade 400 upgrade 400", (REFUSAL,), 1),
}

type Run = Callable[[str, Transport, Version], tuple[CodexRun, Provider]]


@pytest.fixture
def run(codex: Callable[[str], Path], tmp_path: Path) -> Run:
    """Runs the client once in a situation, with a new home, and gives what both ends saw."""

    def once(name: str, transport: Transport, version: Version) -> tuple[CodexRun, Provider]:
        situation = SITUATIONS[name]
        with Provider(situation.scripts[transport]) as provider:
            seen = run_codex(
                codex(version),
                PROMPT,
                base_url=provider.base_url,
                transport=transport,
                home=tmp_path / "home",
                cwd=tmp_path / "work",
                settings=situation.settings,
            )
        return seen, provider

    return once


@pytest.mark.parametrize(
    ("cell", "outcome"), OUTCOMES.items(), ids=["-".join(cell) for cell in OUTCOMES]
)
def test_client_does_what_the_table_says(
    run: Run, cell: tuple[str, Transport, Version], outcome: Outcome
) -> None:
    """A run's requests, complaints, last message and exit code are those of the table."""
    seen, provider = run(*cell)
    _, _, version = cell
    greeting = (NO_METADATA,) if version is NEW else ()
    assert Outcome(provider.summary, seen.complaints, seen.exit_code) == Outcome(
        outcome.asked, greeting + outcome.complaints, outcome.exit_code
    ), seen.stderr
    assert seen.final_message == (ANSWER if outcome.exit_code == 0 else None)


def test_table_is_complete() -> None:
    """Each situation that a run can be led into directly has its row for each version."""
    assert set(OUTCOMES) == {
        (name, transport, version)
        for name, situation in SITUATIONS.items()
        if not situation.is_default_provider
        for transport in situation.scripts
        for version in Version
    }


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_equal_runs_compare_equal(run: Run, transport: Transport, version: Version) -> None:
    """Two runs print different events that are the same once normalised."""
    first, _ = run("tool-round", transport, version)
    second, _ = run("tool-round", transport, version)
    assert first.events != second.events
    assert normalised(first.events) == normalised(second.events)


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_client_runs_the_command(run: Run, transport: Transport, version: Version) -> None:
    """The client runs the script's command and sends its output with the next request."""
    seen, provider = run("tool-round", transport, version)
    ran = [event["item"] for event in seen.events if event["type"] == "item.completed"]
    assert [
        (item["command"], item["aggregated_output"], item["exit_code"])
        for item in ran
        if item["type"] == "command_execution"
    ] == [("/bin/bash -c 'echo one'", "one\n", 0)]
    last = provider.requests[-1].body["input"][-1]
    assert last["type"] == "function_call_output"
    assert last["output"].endswith("Output:\none\n")


@pytest.mark.parametrize("version", Version)
def test_turn_state_comes_back(run: Run, version: Version) -> None:
    """The turn state of the first response is a header of the second request, not of the first."""
    _, provider = run("tool-round", SSE, version)
    states = [dict(asked.headers).get("x-codex-turn-state") for asked in provider.requests]
    assert states == [None, "turn-state-1"]


@pytest.mark.parametrize(
    ("version", "requests"),
    [
        (OLD, [("response.create", None), ("response.append", None)]),
        (
            NEW,
            [
                ("response.create", None),
                ("response.create", "resp_0001"),
                ("response.create", "resp_0002"),
            ],
        ),
    ],
)
def test_requests_on_a_socket_build_on_each_other(
    run: Run, version: Version, requests: list[tuple[str, str | None]]
) -> None:
    """The older client appends; the newer names the response before, its warm-up's included."""
    _, provider = run("tool-round", WEBSOCKET, version)
    bodies: list[dict[str, Any]] = [
        asked.body for asked in provider.requests if asked.kind in (Ask.WARM_UP, Ask.WEBSOCKET)
    ]
    assert [(body["type"], body.get("previous_response_id")) for body in bodies] == requests


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize("transport", Transport)
def test_tls_provider_is_reached(
    codex: Callable[[str], Path], tmp_path: Path, transport: Transport, version: Version
) -> None:
    """A client that trusts the provider's certificate through SSL_CERT_FILE runs over TLS."""
    certificate, key = loopback_certificate(tmp_path)
    with Provider(SITUATIONS["answer"].scripts[transport], tls=(certificate, key)) as provider:
        seen = run_codex(
            codex(version),
            PROMPT,
            base_url=provider.base_url,
            transport=transport,
            home=tmp_path / "home",
            cwd=tmp_path / "work",
            environment={"SSL_CERT_FILE": str(certificate)},
        )
    assert provider.base_url.startswith("https://")
    assert seen.final_message == ANSWER, seen.stderr
    assert provider.summary == OUTCOMES["answer", transport, version].asked
