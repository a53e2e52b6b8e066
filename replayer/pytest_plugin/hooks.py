"""What pytest loads: the fixture ``wiretape_replay``, the marker ``wiretape``, the option
``--wiretape-record``.

What takes long to import is imported when a test wants it.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from replayer.pytest_plugin.choices import Choice, Mode, choose
from wiretape.errors import WiretapeError

if TYPE_CHECKING:
    from gateway.authority import Authority
    from replayer.pytest_plugin.taped_model import TapedModel

_FIXTURE: Final = "wiretape_replay"
_MODEL: Final = pytest.StashKey["TapedModel"]()
_IS_STRICT: Final = pytest.StashKey[bool]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--wiretape-record``."""
    parser.getgroup("wiretape").addoption(
        "--wiretape-record",
        choices=[mode.value for mode in Mode],
        help="Record what tests with a tape ask of their model: never (none), where there is no "
        "tape yet (once), or always (all). Without it: what the marker says, else none.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Makes the marker known."""
    config.addinivalue_line(
        "markers",
        "wiretape(tape=None, *, record=None, base_url=None, session=(), strict=False, speed=None, "
        "ignore=(), transport='recorded', tools='run', fault=()): "
        "the model answers from this tape (without one: from tapes/FILE/TEST.db beside the test).",
    )


def pytest_itemcollected(item: pytest.Item) -> None:
    """A marked test uses the fixture, whether it asks for it by name or not."""
    is_marked = item.get_closest_marker("wiretape") is not None
    if is_marked and isinstance(item, pytest.Function) and _FIXTURE not in item.fixturenames:
        item.fixturenames.insert(0, _FIXTURE)


@pytest.fixture(scope="session")
def wiretape_authority(tmp_path_factory: pytest.TempPathFactory) -> "Authority":
    """A certificate authority for this run of tests, which nobody else trusts."""
    from gateway.authority import open_authority

    folder = os.environ.get("WIRETAPE_CA_DIR") or str(tmp_path_factory.mktemp("wiretape-ca"))
    return open_authority({"WIRETAPE_CA_DIR": folder})


@pytest.fixture
def wiretape_replay(
    request: pytest.FixtureRequest, tmp_path: Path, wiretape_authority: "Authority"
) -> Iterator["TapedModel"]:
    """The model, answering from the test's tape (a ``TapedModel``); nothing leaves this machine.

    The environment of the process leads clients here. With ``--wiretape-record`` the model itself
    answers, and the tape is made.
    """
    from replayer.pytest_plugin.staging import staged

    node, fault = request.node, ""
    with ExitStack() as stack:
        try:
            choice = _choice(node)
            model = stack.enter_context(staged(choice, tmp_path, wiretape_authority))
        except WiretapeError as error:
            fault = str(error)
        # Not above: whatever led to it would be shown as well.
        if fault:
            pytest.fail(fault, pytrace=False)
        node.stash[_MODEL] = model
        node.stash[_IS_STRICT] = choice.is_strict
        yield model


def _choice(node: pytest.Item) -> Choice:
    """What the test asks for, by its marker and the command line."""
    marker = node.get_closest_marker("wiretape")
    classes = [each.name for each in node.listchain() if isinstance(each, pytest.Class)]
    return choose(
        node.path,
        ".".join([*classes, node.name]),
        node.config.getoption("--wiretape-record"),
        () if marker is None else marker.args,
        {} if marker is None else marker.kwargs,
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A test that has passed keeps its recording, and with ``strict`` must be as recorded."""
    yield
    model = item.stash.get(_MODEL, None)
    if model is None:
        return
    fault = ""
    try:
        if item.stash[_IS_STRICT]:
            model.assert_as_recorded()
        model.source.settle()
    except (AssertionError, WiretapeError) as error:
        fault = str(error)
    if fault:
        pytest.fail(fault, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Below a failed test stands how its replay went."""
    report = yield
    model = item.stash.get(_MODEL, None)
    if model is not None and call.when == "call" and report.failed:
        heading, *told = model.lines()
        # Not a second time below a failure that says it itself.
        if not told or told[0] not in report.longreprtext:
            report.sections.append(("wiretape", "\n".join([heading, *told])))
    return report
