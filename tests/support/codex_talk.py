"""Runs the real Codex as the server of an editor, so that one client takes several turns.

What it tells its editor is written down as ``codex exec --json`` would print it.
"""

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from threading import Timer
from typing import Any

from codex_run import TIMEOUT_S, CodexRun, clean_environment, provider_config

_EDITOR = {"name": "codex_editor", "title": "An editor", "version": "0"}


class Task(StrEnum):
    """What an editor asks for."""

    TURN = "turn"
    COMPACT = "compact"
    REVIEW = "review"


def talk_codex(
    binary: Path,
    tasks: Iterable[Task],
    prompt: str,
    *,
    base_url: str,
    transport: str,
    home: Path,
    cwd: Path,
    settings: Mapping[str, int] = {},
    environment: Mapping[str, str] = {},
    command_prefix: Sequence[str] = (),
) -> CodexRun:
    """Has one client do these tasks, one after the other, each of them to its end.

    The exit code is 1 where a task failed, and ``None`` where the deadline came first.
    """
    home.mkdir(parents=True, exist_ok=True)
    cwd.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(provider_config(base_url, transport, settings))
    with (
        (home / "stderr").open("w+") as stderr,
        subprocess.Popen(
            [*command_prefix, str(binary), "app-server"],
            cwd=cwd,
            env=clean_environment(home) | dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            encoding="utf-8",
        ) as process,
    ):
        deadline = Timer(TIMEOUT_S, process.kill)
        deadline.start()
        editor = _Editor(process)
        try:
            ended_well = [editor.do(task, prompt) for task in tasks]
            exit_code: int | None = int(not all(ended_well))
        except EOFError:
            exit_code = None
        finally:
            deadline.cancel()
            editor.leave()
        stderr.seek(0)
        return CodexRun(exit_code, tuple(editor.events), editor.heard, stderr.read())


class _Editor:
    """One side of the talk. ``heard`` is all that the client wrote."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._asked = 0
        self._thread = ""
        self.events: list[dict[str, Any]] = []
        self.heard = ""

    def do(self, task: Task, prompt: str) -> bool:
        """Has the client do it; whether that ended well."""
        if not self._thread:
            self._ask("initialize", clientInfo=_EDITOR)
            self._write({"method": "initialized"})
            self._thread = self._ask("thread/start")["thread"]["id"]
        match task:
            case Task.TURN:
                text = {"type": "text", "text": prompt}
                self._ask("turn/start", threadId=self._thread, input=[text])
            case Task.COMPACT:
                self._ask("thread/compact/start", threadId=self._thread)
            case Task.REVIEW:
                target = {"type": "custom", "instructions": prompt}
                self._ask("review/start", threadId=self._thread, target=target)
        while (told := self._read()).get("method") != "turn/completed":
            pass
        ended_well: bool = told["params"]["turn"]["status"] == "completed"
        return ended_well

    def leave(self) -> None:
        """Ends the client, which ends with its standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _ask(self, method: str, **params: Any) -> Any:
        self._asked += 1
        self._write({"id": self._asked, "method": method, "params": params})
        while "method" in (told := self._read()) or told["id"] != self._asked:
            pass
        assert "error" not in told, told
        return told["result"]

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise EOFError(self.heard)
        self.heard += line
        told: dict[str, Any] = json.loads(line)
        event = _printed(told)
        if event is not None:
            self.events.append(event)
        return told


def _printed(told: dict[str, Any]) -> dict[str, Any] | None:
    """What ``codex exec --json`` prints for this, of what is compared."""
    match told:
        case {"method": "error", "params": {"error": {"message": said, "additionalDetails": why}}}:
            return {"type": "error", "message": f"{said} ({why})" if why else said}
        case {"method": "warning", "params": {"message": said}} | {
            "method": "codex/event/warning",
            "params": {"msg": {"message": said}},
        }:
            return {"type": "item.completed", "item": {"type": "error", "message": said}}
        case {
            "method": "item/completed",
            "params": {"item": {"type": "agentMessage", "text": said}},
        }:
            return {"type": "item.completed", "item": {"type": "agent_message", "text": said}}
        case _:
            return None
