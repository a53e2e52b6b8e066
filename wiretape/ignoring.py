"""Rules by which differences are ignored: paths, as reports print them, with ``*`` for any step.

``tools`` ignores the tools and everything in them, ``input[*].id`` the id of every item,
``headers.x-*`` every header that begins so. A file of rules has one on each line; ``#`` begins a
comment. A rule that never matched is told, because it may be misspelt.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from wiretape.errors import UsageError

SUFFIX: Final = ".ignore"
"""The rules of ``bug.db`` are in ``bug.db.ignore``, beside it."""

_NO_PATH: Final = re.compile(r"(?:\$?[./].*|\$?\[.*|)\Z", re.DOTALL)
"""As other tools write paths (``$.input``, ``/input/0``), or none at all."""

_ANYTHING_IN_A_STEP: Final = r"[^.\[\]]*"


@dataclass(frozen=True, slots=True)
class Rule:
    """A path to ignore, and where the rule stands: ``--ignore``, or a file and its line."""

    path: str
    place: str = "--ignore"


@dataclass(slots=True)
class Ignored:
    """The rules in force, and which of them have matched something."""

    rules: tuple[Rule, ...] = ()
    _matched: set[Rule] = field(default_factory=set)

    def holds(self, path: str) -> bool:
        """Whether what is at this path is ignored. Every rule that says so has matched."""
        if not self.rules:
            return False
        found = [rule for rule in self.rules if _pattern(rule.path).match(path)]
        self._matched.update(found)
        return bool(found)

    def unmatched(self) -> Iterator[str]:
        """A sentence for each rule that never matched."""
        for rule in self.rules:
            if rule not in self._matched:
                yield f"nothing was ignored by {rule.path!r} ({rule.place}): check its spelling."


def rules_in(text: str, file: str) -> Iterator[Rule]:
    """The rules in a file of them; ``file`` is what a message calls it."""
    for number, line in enumerate(text.splitlines(), 1):
        # Only where nothing but space stands before it: a path may hold the sign.
        path = re.sub(r"(^|\s)#.*", "", line).strip()
        if path:
            yield Rule(path, f"{file}, line {number}")


def all_rules(paths: Iterable[str], files: Iterable[tuple[str, str]]) -> Ignored:
    """What the command line and files (each with what it is called) say together.

    Raises:
        UsageError: a rule is none, however the paths in a report are.
    """
    from_files = [rule for text, file in files for rule in rules_in(text, file)]
    rules = (*map(Rule, paths), *from_files)
    for rule in rules:
        path = rule.path
        if _NO_PATH.match(path) or path.count("[") != path.count("]"):
            raise UsageError(
                f"{path!r} ({rule.place}) is no place that a report could name: write it as "
                "reports do, like tools, input[*].id or headers.x-*."
            )
    return Ignored(rules)


@lru_cache(maxsize=256)
def _pattern(path: str) -> re.Pattern[str]:
    """What the path names, and all that is in it."""
    steps = _ANYTHING_IN_A_STEP.join(map(re.escape, path.split("*")))
    return re.compile(rf"{steps}(?:[.\[]|$)", re.DOTALL)
