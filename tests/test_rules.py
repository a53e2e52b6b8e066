"""The table of rules says what is so: tests that run, and places that these tests go through."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping

import pytest
from declared import REPOSITORY
from loose_module import load

write_rules = load(REPOSITORY / "docs" / "write_rules.py")
RULES = write_rules.rules()
TESTS = list(write_rules.tests())
PLACES = write_rules.places()


def said(key: tuple[str, str]) -> str:
    """``responses 3.3``"""
    return " ".join(key)


def test_the_table_is_current() -> None:
    """What stands there is what is so; docs/write_rules.py brings it up to date."""
    assert write_rules.TABLE.read_text("utf-8") == write_rules.table()


def test_every_test_with_a_number_is_of_a_known_rule() -> None:
    """A slip in a test's name would hide it from the table."""
    assert [spot for key, spot in TESTS if key is None] == []


@pytest.mark.parametrize("key", RULES, ids=said)
def test_every_rule_has_a_test_and_a_place(key: tuple[str, str]) -> None:
    """At least one of each."""
    assert [spot for found, spot in TESTS if found == key]
    assert PLACES[key]


@pytest.fixture(scope="module")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, list[str]]:
    """Which functions each of the tests enters, seen by running them all."""
    told = tmp_path_factory.mktemp("rules") / "entered.json"
    files = sorted({spot.file for _, spot in TESTS})
    # What a whole run must contain need not be among these few.
    no_demands = {"WIRETAPE_REQUIRE_CODEX": "", "WIRETAPE_REQUIRE_BROWSER": ""}
    own = {"RULES_ENTERED": str(told), "PYTHONPATH": "tests/support"}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "rules_entered", *files],
        cwd=REPOSITORY,
        env={**os.environ, **no_demands, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    found: dict[str, list[str]] = json.loads(told.read_text("utf-8"))
    return found


@pytest.mark.parametrize("key", RULES, ids=said)
def test_the_tests_of_a_rule_go_through_each_of_its_places(
    key: tuple[str, str], entered: Mapping[str, list[str]]
) -> None:
    """A function is entered, and something of a class or a module; a value, or its module."""
    tests = [spot for found, spot in TESTS if found == key]
    functions = {function for spot in tests for function in entered[spot.name]}
    for place in PLACES[key]:
        is_named = any(is_named_in(spot.file, place.name) for spot in tests)
        assert is_named or is_among(place.file, place.name, functions), place


def is_among(file: str, name: str, functions: set[str]) -> bool:
    """Whether a place is one of these functions, or has one of them in it."""
    has_functions = bool(name) and not name.isupper()
    within = f"{file} {name}." if has_functions else f"{file} "
    return f"{file} {name}" in functions or any(each.startswith(within) for each in functions)


def is_named_in(file: str, name: str) -> bool:
    """Whether a value, which nothing enters, is named in a file of tests."""
    return name.isupper() and name in (REPOSITORY / file).read_text("utf-8")
