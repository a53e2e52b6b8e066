"""The floor plan, as tables that the imports are held against.

Every import counts, wherever it stands: inside a function or under ``TYPE_CHECKING`` too. A call
of ``open`` counts as an import of ``builtins.open``.
"""

import ast
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from declared import REPOSITORY, extras, needs
from packaging.utils import canonicalize_name

ROOMS = {
    "wiretape": ("wiretape",),
    "gateway": ("gateway", "wiretape.errors"),
    "recorder": ("recorder", "gateway", "wiretape"),
    "replayer": ("replayer", "gateway", "wiretape"),
    "inspector_web": ("inspector_web", "wiretape"),
}
"""Each room, and what it may import of this project."""

HEAVY = {
    "mitmproxy": ("gateway", "recorder", "replayer"),
    "flask": ("inspector_web",),
}
"""What takes long to load, and the rooms that may: ``wiretape show`` must never pay for it."""

_STORE = ("wiretape.store*", "wiretape.schema")
_COMMANDS = ("wiretape.cli", "wiretape.commands*")
CORE = {
    "sqlite3": _STORE,
    "sqlite_utils": _STORE,
    "click": _COMMANDS,
    "rich": _COMMANDS,
    "builtins": _STORE + _COMMANDS,
    "os": _STORE + _COMMANDS,
    "pathlib": _STORE + _COMMANDS,
    "shutil": _COMMANDS,
    "tempfile": _STORE + _COMMANDS,
    "threading": _STORE + _COMMANDS,
    "time": _STORE + _COMMANDS,
    "asyncio": (),
    "random": (),
    "secrets": (),
    "socket": (),
    "subprocess": (),
}
"""What only some modules of ``wiretape/`` may import: the rest is handed bytes and times."""


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """Dotted name and file of every module of every room under ``root``."""
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            yield ".".join(path.relative_to(root).with_suffix("").parts), path


def imports(module: str, source: str) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything that ``source`` imports, as far down as it names it."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=base, names=names, level=level):
                parents = module.split(".")[:-level] if level else []
                stem = ".".join([*parents, *([base] if base else [])])
                yield from ((node.lineno, f"{stem}.{alias.name}") for alias in names)
            case ast.Call(func=ast.Name(id="open")):
                yield node.lineno, "builtins.open"


def is_allowed(module: str, name: str) -> bool:
    """Whether the floor plan lets ``module`` import ``name``."""
    room, top = module.split(".")[0], name.split(".")[0]
    if top in ROOMS:
        return any(name == own or name.startswith(f"{own}.") for own in ROOMS[room])
    if room == "wiretape" and top in CORE:
        return any(fnmatchcase(module, keeper) for keeper in CORE[top])
    return top not in HEAVY or room in HEAVY[top]


def breaches(root: Path) -> list[str]:
    """Every import under ``root`` that the floor plan forbids: ``"file:line imports name"``."""
    return [
        f"{path.relative_to(root)}:{line} imports {name}"
        for module, path in modules(root)
        for line, name in imports(module, path.read_text("utf-8"))
        if not is_allowed(module, name)
    ]


def test_every_import_keeps_to_the_floor_plan() -> None:
    """No module imports what its room may not."""
    assert breaches(REPOSITORY) == []


@pytest.mark.parametrize(
    ("file", "source", "breach"),
    [
        ("wiretape/sse.py", "import recorder", "1 imports recorder"),
        ("wiretape/sse.py", "from gateway.child import run", "1 imports gateway.child.run"),
        ("wiretape/cli.py", "import inspector_web.app", "1 imports inspector_web.app"),
        ("gateway/child.py", "from wiretape import facts", "1 imports wiretape.facts"),
        ("gateway/child.py", "import wiretape", "1 imports wiretape"),
        ("gateway/child.py", "import wiretape.errors_of_mine", "1 imports wiretape.errors_of_mine"),
        ("recorder/addon.py", "def f():\n    import replayer", "2 imports replayer"),
        ("replayer/server.py", "from inspector_web import app", "1 imports inspector_web.app"),
        ("inspector_web/views.py", "import gateway", "1 imports gateway"),
        ("inspector_web/views.py", "import mitmproxy.http", "1 imports mitmproxy.http"),
        ("wiretape/cli.py", "import flask", "1 imports flask"),
        ("wiretape/sse.py", "import sqlite3", "1 imports sqlite3"),
        ("wiretape/commands/ls.py", "import sqlite_utils", "1 imports sqlite_utils"),
        ("wiretape/store_rows.py", "import click", "1 imports click"),
        ("wiretape/sse.py", "from rich.table import Table", "1 imports rich.table.Table"),
        ("wiretape/sse.py", "with open('x') as file: pass", "1 imports builtins.open"),
        ("wiretape/chat/stream.py", "from os import environ", "1 imports os.environ"),
        ("wiretape/sse.py", "from pathlib import Path", "1 imports pathlib.Path"),
        ("wiretape/schema.py", "import shutil", "1 imports shutil"),
        ("wiretape/sse.py", "import threading, json", "1 imports threading"),
        ("wiretape/sse.py", "\n\nimport time", "3 imports time"),
        ("wiretape/store_writer.py", "import asyncio.queues", "1 imports asyncio.queues"),
        ("wiretape/sse.py", "import random", "1 imports random"),
        ("wiretape/sse.py", "import socket", "1 imports socket"),
        ("wiretape/commands/ls.py", "import subprocess", "1 imports subprocess"),
    ],
)
def test_a_planted_wrong_import_is_found(
    tmp_path: Path, file: str, source: str, breach: str
) -> None:
    """Each rule of the tables finds the import that breaks it, with its line."""
    plant(tmp_path, file, source)
    assert breaches(tmp_path) == [f"{file}:{breach}"]


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("wiretape/sse.py", "import json\nfrom wiretape.errors import WiretapeError"),
        ("wiretape/chat/stream.py", "from . import shapes\nfrom ..sse import decode"),
        ("wiretape/store_writer.py", "import os, pathlib, sqlite3, sqlite_utils, threading, time"),
        ("wiretape/commands/ls.py", "import click, os, pathlib, rich, time\nopen('x')"),
        ("gateway/child.py", "import asyncio, mitmproxy\nfrom wiretape.errors import CommandError"),
        ("recorder/addon.py", "import gateway, mitmproxy, time, wiretape.facts"),
        ("replayer/server.py", "import asyncio, gateway.child, h11, wiretape.facts"),
        ("inspector_web/app.py", "import flask, pathlib, wiretape.store_reader"),
    ],
)
def test_what_a_room_needs_is_no_breach(tmp_path: Path, file: str, source: str) -> None:
    """The tables let each room import what it is there for."""
    plant(tmp_path, file, source)
    assert breaches(tmp_path) == []


def plant(root: Path, file: str, source: str) -> None:
    """Writes one module of a house that holds nothing else."""
    (root / file).parent.mkdir(parents=True)
    (root / file).write_text(source, "utf-8")


def test_every_third_party_import_is_declared() -> None:
    """What the rooms import, the project depends on itself, not by way of another package."""
    declared = {canonicalize_name(need.name) for need in [*needs(), *extras()]}
    providers = packages_distributions()
    undeclared = [
        f"{path.relative_to(REPOSITORY)}:{line} imports {name}"
        for module, path in modules(REPOSITORY)
        for line, name in imports(module, path.read_text("utf-8"))
        if (top := name.split(".")[0]) not in sys.stdlib_module_names | ROOMS.keys()
        and declared.isdisjoint(canonicalize_name(dist) for dist in providers.get(top, ()))
    ]
    assert undeclared == []
