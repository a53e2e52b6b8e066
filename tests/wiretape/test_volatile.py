"""What may differ between two runs of the same client without being a difference."""

from typing import Any

import pytest

from wiretape.asked import Asked, RequestKind
from wiretape.facts import Headers
from wiretape.likeness import Correspondence, differences
from wiretape.volatile import (
    TEXT_RULES,
    VOLATILE_HEADERS,
    VOLATILE_KEYS,
    VOLATILE_PATHS,
    VOLATILE_QUERY,
)

TEXTS = {
    "wall time": ("ok\nWall time: 0.1 seconds\n", "ok\nWall time: 12.75 seconds\n"),
    "wall time of a script": ("Wall time 0.5 seconds", "Wall time 17.25 seconds"),
    "duration": ('{"duration_seconds":0.5}', '{"duration_seconds": 17}'),
    "chunk id": ("Chunk ID: 0a1b2c", "Chunk ID: ffffff"),
    "current date": (
        "<current_date>2026-01-02</current_date>",
        "<current_date>2027-11-30</current_date>",
    ),
}


def paths(left: Any, right: Any, recorded: Headers = (), replayed: Headers = ()) -> list[str]:
    """Where two requests with these bodies and headers differ."""
    one = Asked(RequestKind.CREATE, None, recorded, left, b"")
    other = Asked(RequestKind.CREATE, None, replayed, right, b"")
    return [difference.path for difference in differences(one, other, Correspondence())]


def test_every_text_rule_has_its_example() -> None:
    """A rule without an example here is a rule that nothing shows to be needed."""
    assert [rule.name for rule in TEXT_RULES] == list(TEXTS)


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_rule_passes_over_what_it_names(name: str) -> None:
    """Texts that differ only by what a rule stands for are the same."""
    left, right = TEXTS[name]
    assert left != right
    assert paths({"output": left}, {"output": right}) == []


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_rule_passes_over_nothing_else(name: str) -> None:
    """The text around what a rule stands for still counts."""
    left, right = TEXTS[name]
    assert paths({"output": f"{left} yes"}, {"output": f"{right} no"}) == ["output"]


@pytest.mark.parametrize("name", sorted(VOLATILE_PATHS))
def test_a_volatile_member_of_the_body_does_not_count(name: str) -> None:
    """It may differ, or be missing; deeper down the same name counts."""
    assert paths({name: "one"}, {name: "other"}) == []
    assert paths({name: "one"}, {}) == []
    assert paths({"in": {name: "one"}}, {"in": {name: "other"}}) == [f"in.{name}"]


@pytest.mark.parametrize("name", sorted(VOLATILE_KEYS))
def test_a_volatile_key_does_not_count_at_any_depth(name: str) -> None:
    """Wherever it stands, it may differ or be missing."""
    assert paths({"input": [{name: {"turn": 1}}]}, {"input": [{name: {"turn": 2}}]}) == []
    assert paths({"input": [{name: {"turn": 1}}]}, {"input": [{}]}) == []


@pytest.mark.parametrize("name", sorted(VOLATILE_HEADERS))
def test_a_volatile_header_does_not_count(name: str) -> None:
    """It may differ, in any case of its letters, or be missing."""
    assert paths({}, {}, ((name, "one"),), ((name.upper(), "other"),)) == []
    assert paths({}, {}, ((name, "one"),), ()) == []


@pytest.mark.parametrize("name", ["authorization", "Cookie", "X-Api-Key", "chatgpt-account-id"])
def test_a_header_that_never_reaches_a_tape_does_not_count(name: str) -> None:
    """The tape holds a placeholder where the client sends its secret."""
    assert paths({}, {}, ((name, f"[removed: {name.lower()}]"),), ((name, "a secret"),)) == []


@pytest.mark.parametrize(
    "name", ["openai-beta", "content-type", "x-codex-turn-state", "originator", "accept"]
)
def test_any_other_header_counts(name: str) -> None:
    """What a header asks for is part of the request."""
    assert paths({}, {}, ((name, "one"),), ((name, "other"),)) == [f"headers.{name}"]


@pytest.mark.parametrize("name", VOLATILE_QUERY)
def test_a_volatile_parameter_does_not_count(name: str) -> None:
    """Whatever its value, and whether it is there at all."""
    queries = (f"{name}=1", f"{name}=2", "")
    one, other, none = (Asked(RequestKind.CREATE, None, (), {}, b"", each) for each in queries)
    assert not list(differences(one, other, Correspondence()))
    assert not list(differences(one, none, Correspondence()))
