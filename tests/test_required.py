"""A run that has to drive the real Codex, or a browser, cannot pass without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from declared import REPOSITORY
from slow_tests import SLOW
from together import TOGETHER

ABSENT = """
import pytest

@pytest.mark.codex
def test_drives(codex):
    codex("0.0.0")
"""
PRESENT = """
import pytest

@pytest.mark.codex
def test_drives():
    pass
"""
NONE = """
def test_other():
    pass
"""
EXPECTED_TO_FAIL = (
    PRESENT
    + """

@pytest.mark.codex
@pytest.mark.xfail(reason="known")
def test_fails_as_known():
    assert False
"""
)


NO_BROWSER = """
import pytest

@pytest.mark.browser
def test_drives():
    pytest.skip("there is no Chromium here")
"""


def run(folder: Path, source: str, **required: str) -> tuple[int, str, str]:
    """Exit code, the lines before the last, and the last line of a small run of its own."""
    tests = folder / "test_small.py"
    tests.write_text(source)
    ran = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider"),
            *("-c", REPOSITORY / "pyproject.toml", "--confcutdir", folder, tests),
        ],
        cwd=folder,
        env=os.environ
        | {
            "PYTHONPATH": f"{REPOSITORY}/tests:{REPOSITORY}/tests/support",
            "WIRETAPE_CODEX_CACHE": str(folder),
            "WIRETAPE_REQUIRE_CODEX": "",
            "WIRETAPE_REQUIRE_BROWSER": "",
        }
        | required,
        capture_output=True,
        text=True,
        check=False,
    )
    *before, last = ran.stdout.splitlines()
    return ran.returncode, "\n".join(before), last


@pytest.mark.parametrize(
    ("source", "required", "code", "said"),
    [
        (ABSENT, "", 0, "Codex 0.0.0 is not in"),
        (ABSENT, "1", 1, "skipped, but WIRETAPE_REQUIRE_CODEX is set"),
        (NONE, "", 0, ""),
        (NONE, "1", 1, "no test marked codex has passed"),
        (PRESENT, "1", 0, ""),
        (EXPECTED_TO_FAIL, "1", 0, ""),
    ],
)
def test_the_real_codex_can_be_required(
    tmp_path: Path, source: str, required: str, code: int, said: str
) -> None:
    """A skip is reported with its reason, or is a failure where the real client is required."""
    exit_code, before, last = run(tmp_path, source, WIRETAPE_REQUIRE_CODEX=required)
    assert (exit_code, said in before) == (code, True), before
    assert " in " in last


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (NO_BROWSER, 1, "skipped, but WIRETAPE_REQUIRE_BROWSER is set"),
        (NONE, 1, "no test marked browser has passed"),
        (PRESENT.replace("codex", "browser"), 0, ""),
    ],
)
def test_a_browser_can_be_required(tmp_path: Path, source: str, code: int, said: str) -> None:
    """In the same way, by a variable of its own."""
    exit_code, before, _ = run(tmp_path, source, WIRETAPE_REQUIRE_BROWSER="1")
    assert (exit_code, said in before) == (code, True), before


def test_what_is_listed_is_there() -> None:
    """A test that was renamed does not come back into the fast set, or is torn apart, unseen."""
    for start in (*SLOW, *TOGETHER):
        path, _, test = start.partition("::")
        assert (REPOSITORY / path).exists(), path
        assert not test or f"def {test}" in (REPOSITORY / path).read_text("utf-8"), start
