"""A plugin of pytest: writes down which functions of the project each test enters.

``-p rules_entered``; the file named by ``$RULES_ENTERED`` gets a JSON object, test to functions,
each as ``wiretape/client/retry.py decide``.
"""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest
from declared import REPOSITORY

_TOOL = sys.monitoring.PROFILER_ID
_CORE = f"{REPOSITORY / 'wiretape'}{os.sep}"

_entered: dict[str, set[str]] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Watches one test. A test of many parameters counts as one."""
    found = _entered.setdefault(item.name.partition("[")[0], set())

    def enter(code: CodeType, _: int) -> object:
        if code.co_filename.startswith(_CORE):
            file = Path(code.co_filename).relative_to(REPOSITORY).as_posix()
            found.add(f"{file} {code.co_qualname.partition('.<locals>')[0]}")
        return sys.monitoring.DISABLE

    sys.monitoring.use_tool_id(_TOOL, "rules")
    sys.monitoring.register_callback(_TOOL, sys.monitoring.events.PY_START, enter)
    sys.monitoring.set_events(_TOOL, sys.monitoring.events.PY_START)
    # What an earlier test entered is told again.
    sys.monitoring.restart_events()
    try:
        yield
    finally:
        sys.monitoring.set_events(_TOOL, 0)
        sys.monitoring.free_tool_id(_TOOL)


def pytest_sessionfinish() -> None:
    """Writes all of it."""
    told = {name: sorted(found) for name, found in _entered.items()}
    Path(os.environ["RULES_ENTERED"]).write_text(json.dumps(told), "utf-8")
