"""What ``pyproject.toml`` says that the project needs, and what that brings along."""

import tomllib
from collections.abc import Iterable
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

REPOSITORY = Path(__file__).resolve().parents[2]


def needs() -> list[Requirement]:
    """What wiretape needs to run."""
    return [Requirement(line) for line in _pyproject()["project"]["dependencies"]]


def extras() -> list[Requirement]:
    """What some of its parts need besides: those who want them have it, or ask for it."""
    optional = _pyproject()["project"]["optional-dependencies"]
    return [Requirement(line) for lines in optional.values() for line in lines]


def tools() -> list[Requirement]:
    """What its tests and checks need besides."""
    return [Requirement(line) for line in _pyproject()["dependency-groups"]["dev"]]


def closure(requirements: Iterable[Requirement]) -> dict[str, Distribution]:
    """What has to be installed here to meet ``requirements``, by canonical name.

    Raises ``PackageNotFoundError`` where one of them is not installed.
    """
    found: dict[str, Distribution] = {}
    # An extra of a package is looked at once, whoever asks for it.
    seen: set[tuple[str, str]] = set()
    waiting = list(requirements)
    while waiting:
        wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        found.setdefault(name, distribution(name))
        for extra in {"", *wanted.extras}:
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for line in found[name].requires or ():
                requirement = Requirement(line)
                if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                    waiting.append(requirement)
    return found


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
