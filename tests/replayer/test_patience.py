"""How Codex is told to wait less: its provider, and what is set for it."""

import pytest

from replayer.patience import Patience, less_patient, read_codex_config

OWN = read_codex_config('model_provider = "mine"\n[profiles.work]\nmodel_provider = "at-work"')
STAND_IN = (
    'model_providers.wiretape={name = "OpenAI", wire_api = "responses", '
    "requires_openai_auth = true, supports_websockets = true, "
    "stream_idle_timeout_ms = 1500, websocket_connect_timeout_ms = 1500"
)


def set_for(provider: str) -> list[str]:
    return [
        "-c",
        f"model_providers.{provider}.stream_idle_timeout_ms=1500",
        "-c",
        f"model_providers.{provider}.websocket_connect_timeout_ms=1500",
    ]


@pytest.mark.parametrize(
    ("options", "provider"),
    [
        ([], "mine"),
        (["-p", "work"], "at-work"),
        (["--profile=work"], "at-work"),
        (["-p", "unknown"], "mine"),
        (["-c", 'model_provider="other"'], "other"),
        (["--config", "model_provider = other", "-p", "work"], "other"),
        (["--config=model_provider='other'"], "other"),
        (["-c", "model=x"], "mine"),
    ],
)
def test_the_provider_in_use_is_set(options: list[str], provider: str) -> None:
    """The command line comes before the profile, and that before the rest; of two options that
    set the same, Codex heeds the last, so ours stand there."""
    command = ["env", "A=1", "/bin/codex", *options, "exec", "hi"]
    found = less_patient(command, OWN, None, 1500)
    assert found is not None
    expected = ("env", "A=1", "/bin/codex", *options, *set_for(provider), "exec", "hi")
    assert found.command == expected


def test_what_stands_behind_two_dashes_is_no_option() -> None:
    """It is what the user says."""
    found = less_patient(["codex", "exec", "--", "-c", "model_provider=x"], OWN, None, 1500)
    assert found is not None
    assert found.command == (
        *("codex", *set_for("mine"), "exec", "--"),
        *("-c", "model_provider=x"),
    )


IDLE = "stream_idle_timeout_ms"


@pytest.mark.parametrize(
    ("options", "config", "was", "patience"),
    [
        ([], {}, Patience(300_000, 15_000), Patience(5_000, 5_000)),
        ([], {IDLE: 3_000}, Patience(3_000, 15_000), Patience(3_000, 5_000)),
        (
            [f"model_providers.mine.{IDLE}=4000"],
            {IDLE: 3_000, "websocket_connect_timeout_ms": 100},
            Patience(4_000, 100),
            Patience(4_000, 100),
        ),
        (
            [f"model_providers.mine={{{IDLE} = 2000}}"],
            {IDLE: 3_000},
            Patience(2_000, 15_000),
            Patience(2_000, 5_000),
        ),
        ([f"model_providers.mine.{IDLE}=soon"], {}, Patience(), Patience(5_000, 5_000)),
    ],
)
def test_it_never_waits_longer_than_it_would(
    options: list[str], config: dict[str, int], was: Patience, patience: Patience
) -> None:
    """What it is set to is kept where that is less, wherever it is set."""
    command = ["codex", *(word for option in options for word in ("-c", option)), "exec", "hi"]
    own = {"model_provider": "mine", "model_providers": {"mine": config}}
    found = less_patient(command, own, None, 5_000)
    assert found is not None
    assert (found.was, found.patience) == (was, patience)


@pytest.mark.parametrize(
    ("base_url", "more"), [(None, "}"), ("http://a/v1", ', base_url = "http://a/v1"}')]
)
def test_the_built_in_provider_has_a_stand_in(base_url: str | None, more: str) -> None:
    """Its own settings cannot be set; the stand-in is like it, at the same address."""
    found = less_patient(["codex", "exec", "hi"], {}, base_url, 1500)
    assert found is not None
    assert found.command == (
        *("codex", "-c", 'model_provider="wiretape"', "-c", STAND_IN + more),
        *("exec", "hi"),
    )


@pytest.mark.parametrize(
    "command",
    [
        ["python", "client.py"],
        ["sh", "-c", "codex exec hi"],
        ["codex", "-c", "model_provider=ollama", "exec", "hi"],
    ],
)
def test_what_cannot_be_told_is_left(command: list[str]) -> None:
    """Another client, a Codex inside a shell, a provider that is fixed."""
    assert less_patient(command, {}, None, 1500) is None


def test_a_configuration_that_cannot_be_read() -> None:
    """It is Codex that will complain of it."""
    assert read_codex_config("= nonsense") == {}
