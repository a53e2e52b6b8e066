"""The example project of the documents: it passes offline, and says what is wrong when it is."""

import shutil
from typing import Any

import pytest
from declared import REPOSITORY
from plugin_project import Project
from provider import Provider
from provider_script import Reply, Script, Written

EXAMPLE = REPOSITORY / "docs" / "example"
DOCUMENT = (REPOSITORY / "docs" / "pytest.md").read_text("utf-8")
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "weekday",
    "arguments": '{"day":"2026-01-02"}',
    "status": "completed",
}
ANSWER = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "It was a Friday.", "annotations": []}],
}


def says(item: dict[str, Any], number: int) -> Reply:
    """An answer of one item."""
    response = {"id": f"resp_{number}", "object": "response", "status": "completed"}
    return Reply(
        Written(
            (
                {"type": "response.created", "response": {**response, "output": []}},
                {"type": "response.output_item.done", "output_index": 0, "item": item},
                {"type": "response.completed", "response": {**response, "output": [item]}},
            )
        )
    )


MODEL = Script(posts=(says(CALL, 1), says(ANSWER, 2)))
"""Whom the example's tape was recorded from."""


@pytest.fixture
def example(project: Project) -> Project:
    """A copy of the example project."""
    shutil.copytree(EXAMPLE, project.folder, dirs_exist_ok=True)
    return project


def test_the_example_passes_offline(example: Project) -> None:
    """All its tests, with nothing but the tapes beside them."""
    example.run_again().assert_outcomes(passed=3)


def test_the_example_can_be_recorded_anew(
    example: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From whoever is at the client's base URL; then it passes again."""
    shutil.rmtree(example.folder / "tapes")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-dummy")
    with Provider(MODEL) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.base_url)
        example.run_again("--wiretape-record=once").assert_outcomes(passed=3)
        assert provider.summary == "sse sse"
    monkeypatch.delenv("OPENAI_BASE_URL")
    example.run_again().assert_outcomes(passed=3)


def test_a_changed_agent_fails_as_documented(example: Project) -> None:
    """The document shows what pytest then prints."""
    agent = example.folder / "agent.py"
    agent.write_text(agent.read_text().replace("Be brief.", "Be kind."))
    ran = example.run_again()
    ran.assert_outcomes(failed=1, passed=2)
    shown = DOCUMENT.partition("```text\n")[2].partition("```")[0]
    printed = [line for line in ran.stdout.lines if line.startswith("E  ")]
    printed = [line.replace(f"{example.folder}/", "") for line in printed]
    assert [line for line in shown.splitlines() if line.startswith("E  ")] == printed


def test_the_document_shows_the_example() -> None:
    """Its tests and its script stand in the document as they are in the project."""
    for file in ("test_agent.py", "busy.script"):
        assert (EXAMPLE / file).read_text("utf-8").rstrip() in DOCUMENT
