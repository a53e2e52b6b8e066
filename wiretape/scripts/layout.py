"""The YAML of a script as a tree that knows its lines.

Wherever a line ends in a JSON object, that object is taken out before YAML is read and put back
after, so it stays as it is written: the order of its keys, its spacing, its numbers. (JSON is
nearly YAML, but not quite: in its escapes and in what it calls a line.)
"""

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, StreamMark, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from wiretape.digests import digest
from wiretape.jsontext import JsonObject, Unparsable, mended, parse_object
from wiretape.scripts.items import Simple, without_runs

_ENDS_IN_JSON: Final = re.compile(r"( *(?:- +)*(?:[\w-]+: +)?(?:&\w+ +)?)(\{.*\})[ \r]*")
_NO_YAML: Final = re.compile("[\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
"""What YAML allows in escapes only (YAML 1.2.2, 5.1)."""

_JSON_WORDS: Final = re.compile(
    r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null"
)


class ScriptFault(Exception):
    """A mistake in a script, on ``line``: what it is, and what to do about it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


@dataclass(frozen=True, slots=True)
class JsonText:
    """A JSON object as it is written, on one line."""

    text: str

    @property
    def value(self) -> JsonObject:
        value = parse_object(self.text)
        assert not isinstance(value, Unparsable)
        return value


@dataclass(frozen=True, slots=True)
class Word:
    """A scalar. A plain one stands without quotes."""

    text: str
    is_plain: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """One value of a script, and the line it begins on, from 1."""

    line: int
    value: "JsonText | Word | dict[str, Part] | tuple[Part, ...]"


def json_text(text: str) -> JsonText | None:
    """The text as JSON that can stand in a script as it is, if it can."""
    if not (text.startswith("{") and text.endswith("}")) or "\n" in text or "\r" in text:
        return None
    return None if isinstance(parse_object(text), Unparsable) else JsonText(text)


def writable_json(text: str) -> JsonText | None:
    """The same, if every reader of YAML can read it too."""
    return None if _NO_YAML.search(text) else json_text(text)


def parse_layout(text: str) -> Part:
    """The tree of a script.

    Raises:
        ScriptFault: this is no YAML.
    """
    # No text holds its own digest, not even spelled with escapes.
    json_mark, run_mark = (f"{kind}-{digest(text)}-" for kind in ("json", "run"))
    lines = text.split("\n")
    try:
        try:
            kept, runs = without_runs(lines, run_mark, _simple_item)
            return _parsed(kept, json_mark, run_mark, runs)
        except (_NoRun, ScriptFault):
            # A mistake is told as it stands.
            return _parsed(lines, json_mark, run_mark, {})
    except YAMLError as error:
        raise ScriptFault(1, f"this is no YAML ({error})".replace("\n", " ")) from error
    except RecursionError as error:
        raise ScriptFault(1, "it is nested too deeply: take a level out") from error


class _NoRun(Exception):
    """What was taken for a run is the text of something. Stays inside this module."""


def _parsed(
    lines: Iterable[str], json_mark: str, run_mark: str, runs: Mapping[str, tuple[Part, ...]]
) -> Part:
    found: list[JsonText] = []
    text = "\n".join(_without_json(line, json_mark, found) for line in lines)
    line_of = _LineOf(text)
    # "pure": the other reader of this library counts in bytes of its own.
    yaml = YAML(typ="safe", pure=True)
    # An anchor may be used anew (YAML 1.2.2, 7.1).
    yaml.composer.warn_double_anchors = False
    try:
        root = yaml.compose(text)
    except MarkedYAMLError as error:
        problem = " ".join(filter(None, (error.context, error.problem)))
        at = line_of(error.problem_mark or error.context_mark)
        raise ScriptFault(at, f"this is no YAML ({problem})") from error
    if root is None:
        raise ScriptFault(1, "it is empty: begin it with `wiretape-script: 1`")
    return _Tree(json_mark, found, run_mark, runs, line_of).part(root)


class _LineOf:
    """Which line of a text a mark is on, from 1. Lines end at LF, as where runs are read: YAML
    ends them elsewhere too, and an editor does not."""

    def __init__(self, text: str) -> None:
        self._ends = [each.start() for each in re.finditer("\n", text)]

    def __call__(self, mark: StreamMark | None) -> int:
        return 1 if mark is None else bisect_left(self._ends, mark.index) + 1


def _simple_item(line: int, item: Simple) -> Part | None:
    name, json_said, number = item
    value = Word(number) if number is not None else json_text(json_said or "")
    if value is None:
        return None
    part = Part(line, value)
    return part if name is None else Part(line, {name: part})


def _without_json(line: str, mark: str, found: list[JsonText]) -> str:
    match = _ENDS_IN_JSON.fullmatch(line)
    if match is None or (json := json_text(match[2])) is None:
        return line
    found.append(json)
    return f'{match[1]}"{mark}{len(found) - 1}"'


class _Tree:
    """Turns nodes into parts, with the JSON put back."""

    def __init__(
        self,
        mark: str,
        found: list[JsonText],
        run_mark: str,
        runs: Mapping[str, tuple[Part, ...]],
        line_of: _LineOf,
    ) -> None:
        self._line_of = line_of
        self._found = found
        self._run_mark = run_mark
        self._runs = runs
        self._marked = re.compile(f'"{mark}([0-9]+)"')
        self._mark = mark

    def part(self, node: Node) -> Part:
        line = self._line_of(node.start_mark)
        match node:
            case ScalarNode():
                return Part(line, self._scalar(node))
            case SequenceNode():
                return Part(line, tuple(chain.from_iterable(map(self._members, node.value))))
            case MappingNode():
                return Part(line, self._mapping(node))
        raise ScriptFault(line, "this is neither a value, nor a list, nor a mapping")

    def _members(self, node: Node) -> tuple[Part, ...]:
        """What a node in a list stands for: itself, or a run."""
        run = self._runs.get(str(node.value)) if isinstance(node, ScalarNode) else None
        return (self.part(node),) if run is None else run

    def _mapping(self, node: MappingNode) -> dict[str, Part]:
        members: dict[str, Part] = {}
        for key, value in node.value:
            name = self.part(key)
            if not isinstance(name.value, Word):
                raise ScriptFault(name.line, "a name is expected before the colon")
            if name.value.text in members:
                raise ScriptFault(name.line, f"{name.value.text!r} stands here twice: remove one")
            if not name.value.is_plain and node.flow_style and _is_nothing(value):
                # What is written as JSON is sent as it is written, and this is none.
                raise ScriptFault(
                    name.line, f"{name.value.text!r:.40} has no value here: write null, or one"
                )
            members[name.value.text] = self.part(value)
        return members

    def _scalar(self, node: ScalarNode) -> JsonText | Word:
        text = str(node.value)
        if self._runs and self._run_mark in text:
            raise _NoRun
        if node.style == '"' and text.startswith(self._mark):
            return self._found[int(text.removeprefix(self._mark))]
        # In the midst of a text of several lines it is text.
        restored = self._marked.sub(lambda match: self._found[int(match[1])].text, text)
        return Word(mended(restored), is_plain=node.style is None)


def _is_nothing(node: Node) -> bool:
    return isinstance(node, ScalarNode) and node.style is None and not node.value


def members(part: Part) -> dict[str, Part]:
    """The members of a mapping, which may be written as JSON.

    Raises:
        ScriptFault: it is something else.
    """
    match part.value:
        case dict() as inner:
            return inner
        case JsonText(text):
            # Numbers as they are written, as everywhere in a script.
            spelled = json.loads(text, parse_int=_Digits, parse_float=_Digits)
            return {name: _of_json(part.line, value) for name, value in spelled.items()}
    raise ScriptFault(part.line, "names with values are expected here, like `name: value`")


class _Digits(str):
    """A number as it is written."""


def _of_json(line: int, value: Any) -> Part:
    match value:
        case dict():
            return Part(line, {name: _of_json(line, each) for name, each in value.items()})
        case list():
            return Part(line, tuple(_of_json(line, each) for each in value))
        case _Digits():
            return Part(line, Word(str(value)))
        case str():
            return Part(line, Word(value, is_plain=False))
    return Part(line, Word(json.dumps(value)))


def as_json(part: Part) -> JsonText:
    """A mapping as the JSON that it stands for: as it is written, or where it is written as
    YAML, without spaces."""
    if isinstance(part.value, JsonText):
        return part.value
    return JsonText(json.dumps(_plain(part), ensure_ascii=False, separators=(",", ":")))


def _plain(part: Part) -> Any:
    match part.value:
        case dict() as inner:
            return {name: _plain(each) for name, each in inner.items()}
        case tuple() as inner:
            return [_plain(each) for each in inner]
        case JsonText() as text:
            return text.value
        case Word(text, is_plain=True) if _JSON_WORDS.fullmatch(text):
            return json.loads(text)
        case Word("", is_plain=True):
            return None
        case Word(text):
            return text
