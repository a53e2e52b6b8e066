"""Runs the real Codex CLI once, in a clean environment, against a provider of ours."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MODEL = "gpt-5.2-codex"
KEY = "sk-dummy"
TIMEOUT_S = 60.0
PARTING_S = 10.0
"""How long a run that took too long has to end by itself."""


@dataclass(frozen=True, slots=True)
class CodexRun:
    """How a run ended.

    ``exit_code`` is negative when a signal ended it, ``None`` when the deadline did.
    """

    exit_code: int | None
    events: tuple[dict[str, Any], ...]
    stdout: str
    stderr: str

    @property
    def final_message(self) -> str | None:
        """The last thing the agent said, if it said anything."""
        said = [
            event["item"]["text"]
            for event in self.events
            if event["type"] == "item.completed" and event["item"]["type"] == "agent_message"
        ]
        return said[-1] if said else None

    @property
    def complaints(self) -> tuple[str, ...]:
        """What a person saw go wrong, in order: ``error`` events, and warnings (items)."""
        return tuple(
            event["message"] if event["type"] == "error" else event["item"]["message"]
            for event in self.events
            if event["type"] == "error"
            or (event["type"] == "item.completed" and event["item"]["type"] == "error")
        )


def run_codex(
    binary: Path,
    prompt: str,
    *,
    base_url: str | None,
    transport: str,
    home: Path,
    cwd: Path,
    environment: Mapping[str, str] = {},
    command_prefix: Sequence[str] = (),
    settings: Mapping[str, int] = {},
    features: Sequence[str] = (),
    resumes: bool = False,
    timeout_s: float = TIMEOUT_S,
) -> CodexRun:
    """Runs ``codex exec --json PROMPT`` with ``home`` as its CODEX_HOME and returns what it did.

    ``resumes``: it goes on with the last conversation of that home.

    ``base_url`` names a custom provider; ``None`` leaves the client to its default one, as most
    people run it, with ``features`` switched on. ``transport`` is ``sse`` or ``websocket``.
    ``settings`` are those of the custom provider (``stream_max_retries`` and the like).
    ``environment`` is added to a clean one that names no proxy. ``command_prefix`` stands in front
    of the command.
    """
    home.mkdir(parents=True, exist_ok=True)
    cwd.mkdir(parents=True, exist_ok=True)
    if base_url is not None:
        config = provider_config(base_url, transport, settings)
        (home / "config.toml").write_text(config)
    elif features:
        switched_on = "".join(f"{feature} = true\n" for feature in features)
        (home / "config.toml").write_text(f"[features]\n{switched_on}")
    task = ["resume", "--last", prompt] if resumes else [prompt]
    command = [*command_prefix, str(binary), "exec", "--skip-git-repo-check", "--json", *task]
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=clean_environment(home) | dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout_s)
            exit_code: int | None = process.returncode
        except subprocess.TimeoutExpired:
            # Told to end, what stands in front of the client ends it too; killed, it cannot.
            os.killpg(process.pid, signal.SIGTERM)
            try:
                stdout, stderr = process.communicate(timeout=PARTING_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                stdout, stderr = process.communicate()
            exit_code = None
        except KeyboardInterrupt:
            # It has a process group of its own, which Ctrl-C does not reach.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.communicate()
            raise
    events = tuple(json.loads(line) for line in stdout.split("\n") if line.startswith("{"))
    return CodexRun(exit_code, events, stdout, stderr)


def clean_environment(home: Path) -> dict[str, str]:
    """What a client needs, and no proxy. ``home`` is its home and its CODEX_HOME."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "CODEX_HOME": str(home),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "LOCAL_KEY": KEY,
        "OPENAI_API_KEY": KEY,
        "CODEX_API_KEY": KEY,
    }


def provider_config(base_url: str, transport: str, settings: Mapping[str, int]) -> str:
    """A ``config.toml`` whose only provider is ours, with small retry budgets."""
    budget = {"request_max_retries": 2, "stream_max_retries": 2} | dict(settings)
    return "\n".join(
        (
            f'model = "{MODEL}"',
            'model_provider = "local"',
            'sandbox_mode = "danger-full-access"',
            'approval_policy = "never"',
            "check_for_update_on_startup = false",
            "suppress_unstable_features_warning = true",
            "[features]",
            "responses_websockets = true",
            "[model_providers.local]",
            'name = "local"',
            f'base_url = "{base_url}"',
            'env_key = "LOCAL_KEY"',
            'wire_api = "responses"',
            f"supports_websockets = {'true' if transport == 'websocket' else 'false'}",
            *(f"{name} = {value}" for name, value in budget.items()),
            "",
        )
    )


UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
LOOPBACK_PORT = re.compile(r"(?<=127\.0\.0\.1:)\d+")


def normalised(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The events with what differs between equal runs replaced, so that they compare equal.

    Seen to differ: ``thread_id`` of ``thread.started``, and the provider's port where a message
    quotes its address. Identifiers are numbered by first appearance, so that which is which
    still counts.
    """
    numbers: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f"id-{len(numbers)}")

    lines = (json.dumps(event, ensure_ascii=False) for event in events)
    return [json.loads(LOOPBACK_PORT.sub("PORT", UUID.sub(numbered, line))) for line in lines]
