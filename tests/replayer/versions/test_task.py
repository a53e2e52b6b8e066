"""What a recording tells of the client that it is of, so that others can be asked the same."""

import tomllib
from typing import Any

import pytest
from tapes import Recording, answer, asks, create, message, says, sse, wants, warm_up
from wholes import whole

from replayer.bends.folder import in_folder
from replayer.versions.task import Task, task_of
from wiretape.folders import Folder

CONTEXT = (
    "<environment_context>\n  <cwd>/home/me/it</cwd>\n"
    "  <sandbox_mode>read-only</sandbox_mode>\n</environment_context>"
)
SKILLS = "- `r0` = `/home/me/.codex/skills/.system`"


def task(built: Recording, prompt: str | None = None) -> Task:
    found = task_of(whole(built), prompt)
    assert found is not None
    return found


def test_the_last_words_of_the_user_are_the_prompt() -> None:
    """What the client puts in front in the user's name is not; the first request counts."""
    some = Recording(host="127.0.0.1", scheme="http", port=8123)
    some.post(create(SKILLS, CONTEXT, "Fix it."), sse(*answer("Done.")))
    some.post(create(CONTEXT, "Fix it.", "And that."), sse(*answer("Done.")))
    assert task(some) == Task(
        prompt="Fix it.",
        model="gpt-5.2-codex",
        base_url="http://127.0.0.1:8123/v1",
        is_chat=False,
        has_websockets=False,
        sandbox="read-only",
        folders={Folder.WORK: "/home/me/it", Folder.HOME: "/home/me/.codex"},
    )


def test_a_warm_up_asks_for_nothing() -> None:
    """What is asked after it tells the prompt, and that there were WebSockets."""
    some = Recording()
    some.socket(
        wants(warm_up(input=[message("context")])), says(answer("")[2]), wants(asks("Fix it."))
    )
    found = task(some)
    assert (found.prompt, found.has_websockets, found.base_url) == (
        "Fix it.",
        True,
        "https://api.openai.com:443/v1",
    )


def test_a_chat_is_asked_for_by_the_chat_wire() -> None:
    """Its messages are its input."""
    some = Recording()
    asked = {"model": "m", "messages": [{"role": "user", "content": "Fix it."}]}
    some.post(asked, path="/chat/completions")
    found = task(some)
    assert (found.prompt, found.is_chat, found.base_url) == (
        "Fix it.",
        True,
        "https://api.openai.com:443/v1",
    )


def test_another_prompt_may_be_given() -> None:
    """Also where the tape does not tell one."""
    some = Recording()
    some.post({"input": []})
    assert task_of(whole(some)) is None
    assert task(some, "Say hello.").prompt == "Say hello."


def test_nobody_asked_anything() -> None:
    """Side requests are no task."""
    some = Recording()
    some.get("/models", b"[]")
    assert task_of(whole(some), "Say hello.") is None


@pytest.mark.parametrize(
    ("member", "value", "setting"),
    [
        ("is_chat", True, ("model_providers", "recorded", "wire_api", "chat")),
        ("is_chat", False, ("model_providers", "recorded", "wire_api", "responses")),
        ("has_websockets", True, ("model_providers", "recorded", "supports_websockets", True)),
        ("has_websockets", True, ("features", "responses_websockets", True)),
        ("has_websockets", False, ("model_providers", "recorded", "supports_websockets", False)),
        (
            "base_url",
            'http://[::1]:1/"',
            ("model_providers", "recorded", "base_url", 'http://[::1]:1/"'),
        ),
        ("model", "m", ("model", "m")),
        ("sandbox", "read-only", ("sandbox_mode", "read-only")),
    ],
)
def test_settings_are_those_of_the_recorded_client(
    member: str, value: Any, setting: tuple[Any, ...]
) -> None:
    """As TOML, where Codex looks for them."""
    members: dict[str, Any] = {
        "prompt": "Fix it.",
        "model": None,
        "base_url": "http://x/v1",
        "is_chat": False,
        "has_websockets": False,
        "sandbox": "workspace-write",
        "folders": {},
    }
    found: Any = tomllib.loads(Task(**(members | {member: value})).config())
    *path, expected = setting
    for name in path:
        found = found[name]
    assert found == expected


def test_in_another_folder_only_the_client_speaks_of_it() -> None:
    """What the server said stays as it was."""
    some = Recording()
    some.post(create("in /here"), sse(*answer("/here")))
    some.socket(wants(asks("in /here")), says(*answer("/here")))
    bent = in_folder("/here", "/there")(whole(some))
    first, second = bent.exchanges
    assert first.body is not None
    assert (b"/there" in first.body.data, b"/here" in first.body.data) == (True, False)
    assert b"/here" in b"".join(piece.data for piece in first.pieces)
    asked, *answered = second.pieces
    assert (b"/there" in asked.data, b"/here" in asked.data) == (True, False)
    assert b"/there" not in b"".join(piece.data for piece in answered)
