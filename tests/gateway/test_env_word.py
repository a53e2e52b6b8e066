"""``env`` in front of a command."""

import pytest

from gateway.env_word import past_env

BEFORE = {"A": "1", "HOME": "/home/ada"}


@pytest.mark.parametrize(
    ("command", "run", "environment"),
    [
        ("codex exec hi", "codex exec hi", BEFORE),
        ("env codex A=2", "codex A=2", BEFORE),
        ("env A=2 B=x=y codex", "codex", {**BEFORE, "A": "2", "B": "x=y"}),
        ("/usr/bin/env A= env B=3 codex", "codex", {**BEFORE, "A": "", "B": "3"}),
        ("env -u A codex", "codex", {"HOME": "/home/ada"}),
        ("env --unset=A -u NONE -- codex", "codex", {"HOME": "/home/ada"}),
        ("env -i A=2 codex", "codex", {"A": "2"}),
        ("env - codex", "codex", {}),
    ],
)
def test_what_env_does_is_done(command: str, run: str, environment: dict[str, str]) -> None:
    """What it is told to set, to leave out and to run."""
    assert past_env(command.split(" "), BEFORE) == (tuple(run.split(" ")), environment)


@pytest.mark.parametrize("command", ["env -S A=2", "env A=2", "env -u", "timeout 5 env A=2 codex"])
def test_what_is_not_understood_stays(command: str) -> None:
    """Another option, nothing to run, another word in front."""
    assert past_env(command.split(" "), BEFORE) == (tuple(command.split(" ")), BEFORE)
