"""The description of scripts says what is so: names, ends, examples."""

import json
import re

import pytest
from declared import REPOSITORY
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from wiretape.facts import EndKind
from wiretape.scripts.reading import read_script

TEXT = (REPOSITORY / "docs" / "scripts.md").read_text("utf-8")
SCHEMA = json.loads((REPOSITORY / "wiretape" / "scripts" / "schema.json").read_text("utf-8"))
EXAMPLES = re.findall(r"^```yaml\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


def first_cells(heading: str) -> set[str]:
    """The names in the first column of the table whose heading begins so."""
    (table,) = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE)
    cells = " ".join(row.split("|")[1] for row in table.splitlines())
    return {re.split(r"[: {]", name)[0] for name in re.findall(r"`([^`]+)`", cells)} - {""}


def test_every_member_of_an_exchange_is_described() -> None:
    """Those that the schema has, and no other."""
    assert first_cells("of an exchange") == SCHEMA["$defs"]["exchange"]["properties"].keys()


def test_every_step_is_described() -> None:
    """An event stands for itself; the others have names."""
    named = SCHEMA["$defs"]["sent"]["properties"].keys() | {"wait_ms", "at_ms", "client"}
    assert first_cells("a step") == named
    assert '| `{"type": …}` |' in TEXT


def test_every_end_is_described() -> None:
    """With what a replay does."""
    assert first_cells("`end`") == set(EndKind)


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_are_scripts(example: str) -> None:
    """For us, and for whoever knows the schema."""
    assert read_script(example).exchanges
    data = YAML(typ="safe", pure=True).load(example)
    assert list(Draft202012Validator(SCHEMA).iter_errors(data)) == []
