"""The JSON Schema of scripts: what the reader takes it takes, what it refuses is refused."""

import json
from typing import Any

import pytest
from any_recordings import recordings
from declared import REPOSITORY
from hypothesis import given, settings
from jsonschema import Draft202012Validator
from mistakes import EVERYTHING, MISTAKES
from ruamel.yaml import YAML

from wiretape.facts import EndKind
from wiretape.recording import Recording
from wiretape.scripts.writing import write_script

SCHEMA = json.loads((REPOSITORY / "wiretape" / "scripts" / "schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def as_data(script: str) -> Any:
    """A script as any program reads YAML."""
    return YAML(typ="safe", pure=True).load(script)


def test_the_schema_is_one() -> None:
    """It keeps to the draft that it names."""
    Draft202012Validator.check_schema(SCHEMA)


@settings(max_examples=60, deadline=None)
@given(recordings())
def test_what_is_written_keeps_to_the_schema(some: Recording) -> None:
    """Any recording's script is valid, and YAML for every reader of YAML."""
    assert [error.message for error in VALIDATOR.iter_errors(as_data(write_script(some)))] == []


def test_everything_keeps_to_the_schema() -> None:
    """As a person writes it."""
    assert [error.message for error in VALIDATOR.iter_errors(as_data(EVERYTHING))] == []


@pytest.mark.parametrize("name", [name for name, each in MISTAKES.items() if each.is_structural])
def test_a_mistake_in_the_structure_breaks_the_schema(name: str) -> None:
    """An editor that knows the schema shows what the reader would refuse."""
    assert list(VALIDATOR.iter_errors(as_data(MISTAKES[name].script)))


def test_the_schema_knows_every_end() -> None:
    """Its list of ends is the tape's."""
    assert SCHEMA["$defs"]["how"]["enum"] == list(EndKind)
