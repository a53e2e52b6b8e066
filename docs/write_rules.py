"""Writes docs/rules.md: each rule of the client's model, its tests, and its place in the code.

A test is a rule's by its name: ``test_3_3_…``, with the document in front where it is not the
folder's own (``test_003_note_1_…``). A place is a rule's where its docstring names it: ``§3.3``,
``003 note 1``, ``§12.4.1 to §12.4.5``; where only that of a module does, the module is the place.

``.venv/bin/python docs/write_rules.py`` is to be run after a change to a rule, its tests or its
places; ``tests/test_rules.py`` fails until it was.
"""

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parents[1]
TABLE: Final = REPOSITORY / "docs" / "rules.md"
RULES: Final = REPOSITORY / "docs" / "rules.toml"

HOMES: Final[Mapping[str, Mapping[str, str]]] = {
    "wiretape/client": {"": "responses", "000": "removal", "002": "responses", "003": "calls"},
    "wiretape/chat": {"": "chat", "000": "chat", "003": "calls"},
}
"""By folder, of the code and of its tests alike: which rules each document stands for."""

_IN_DOCSTRING = re.compile(
    r"(?:\b(00\d) )?(?:§(\d+(?:\.\w+)*)(?: to §(\d+(?:\.\w+)*))?|(note \d|step \d))"
)
_IN_NAME = re.compile(r"test_(?:(00\d)_)?((?:note_|step_)?\d.*)")
_HEAD = """\
# Rules

What the model of the client keeps to: the rules of the documents that it was made from, with the
tests that hold them and the places that keep them. Written by `docs/write_rules.py`; the titles
are in `docs/rules.toml`.
"""


@dataclass(frozen=True, order=True, slots=True)
class Spot:
    """A named thing in a file, a test or a place of the code; no name means the whole file."""

    file: str
    name: str = ""

    def link(self) -> str:
        """It as Markdown, seen from docs/."""
        words = self.name or Path(self.file).stem
        return f"[`{words}`](../{self.file})"


type Key = tuple[str, str]
"""The name of a set of rules in rules.toml, and a rule's number."""


def rules() -> dict[Key, str]:
    """The title of every rule, in their order."""
    sets = tomllib.loads(RULES.read_text("utf-8"))
    return {
        (name, number): title
        for name, each in sets.items()
        for number, title in each["rules"].items()
    }


def tests() -> Iterator[tuple[Key | None, Spot]]:
    """Every test that is named after a rule, with that rule; ``None`` where there is none."""
    known = rules()
    for home, documents in HOMES.items():
        for file in sorted((REPOSITORY / "tests" / home).glob("test_*.py")):
            for node in ast.parse(file.read_text("utf-8")).body:
                found = _IN_NAME.match(getattr(node, "name", ""))
                if isinstance(node, ast.FunctionDef) and found is not None:
                    set_ = documents[found[1] or ""]
                    yield _longest(set_, found[2], known), _spot(file, node.name)


def places() -> dict[Key, list[Spot]]:
    """Where the code says that it keeps a rule."""
    known = list(rules())
    exact: dict[Key, list[Spot]] = {}
    whole: dict[Key, list[Spot]] = {}
    for home, documents in HOMES.items():
        for file in sorted((REPOSITORY / home).glob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            for name, text in _docstrings(tree, ""):
                for key in _named(text, documents, known):
                    found = (exact if name else whole).setdefault(key, [])
                    if _spot(file, name) not in found:
                        found.append(_spot(file, name))
    return {key: exact.get(key, whole.get(key, [])) for key in known}


def table() -> str:
    """The whole document."""
    held: dict[Key, list[Spot]] = {}
    for key, spot in tests():
        if key is not None:
            held.setdefault(key, []).append(spot)
    kept = places()
    lines = [_HEAD]
    for name, each in tomllib.loads(RULES.read_text("utf-8")).items():
        lines += [f"## {each['title']}", "", "| rule | what | place | tests |", "|---|---|---|---|"]
        for number, title in each["rules"].items():
            key = (name, number)
            cells = title, _cell(kept[key]), _cell(held.get(key, []))
            lines.append(f"| {each['document']} {number} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def _longest(set_: str, name: str, known: Mapping[Key, str]) -> Key | None:
    """The rule whose number a test's name begins with; the longest such number counts."""
    fits = [
        (owner, number)
        for owner, number in known
        if owner == set_ and f"{name}_".startswith(f"{re.sub('[. ]', '_', number)}_")
    ]
    return max(fits, key=lambda key: len(key[1]), default=None)


def _docstrings(node: ast.Module | ast.ClassDef, inside: str) -> Iterator[tuple[str, str]]:
    """Dotted names and docstrings: the module's own, and those of what is in it."""
    if not inside:
        yield "", _text(ast.get_docstring(node))
    previous = ""
    for each in node.body:
        match each:
            case ast.FunctionDef() | ast.ClassDef():
                yield f"{inside}{each.name}", _text(ast.get_docstring(each))
                if isinstance(each, ast.ClassDef):
                    yield from _docstrings(each, f"{inside}{each.name}.")
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                previous = name
            case ast.Expr(value=ast.Constant(value=str(text))) if previous:
                yield f"{inside}{previous}", _text(text)


def _text(docstring: str | None) -> str:
    return " ".join((docstring or "").split())


def _named(text: str, documents: Mapping[str, str], known: Sequence[Key]) -> Iterator[Key]:
    for document, first, last, other in _IN_DOCSTRING.findall(text):
        if document not in documents:
            continue
        start = (documents[document], first or other)
        end = (documents[document], last) if last else start
        if start in known and end in known:
            yield from known[known.index(start) : known.index(end) + 1]


def _spot(file: Path, name: str) -> Spot:
    return Spot(file.relative_to(REPOSITORY).as_posix(), name)


def _cell(spots: Sequence[Spot]) -> str:
    return "<br>".join(spot.link() for spot in spots)


if __name__ == "__main__":
    TABLE.write_text(table(), "utf-8")
