"""The report of a replay as a JSON file."""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from replayer.new_files import make_folder
from wiretape.errors import UsageError, WouldOverwrite
from wiretape.redact import redact_command


def check_report_file(path: Path) -> None:
    """Sees to it, before anything is run, that a report can be written to ``path``.

    Raises:
        WouldOverwrite: there is something that is no report; an earlier report may be replaced.
        UsageError: nothing can be written there.
    """
    make_folder(path, "--report")
    if path.exists() and not _is_report(path):
        raise WouldOverwrite(
            f"{path} exists and is no report of a replay: name another file with --report."
        )
    is_new = not path.exists()
    with _told_if_not_written(path):
        path.open("ab").close()
        if is_new:
            path.unlink()


def write_report(
    path: Path, tape: Path, command: Sequence[str], exit_code: int, report: dict[str, Any]
) -> None:
    """Writes ``report``, with what was replayed, to whom, and how that ended.

    Raises:
        UsageError: the file cannot be written.
    """
    document = {
        "tape": str(tape),
        "command": redact_command(command),
        "exit_code": exit_code,
        **report,
    }
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    with _told_if_not_written(path):
        # It quotes what was said: nobody else may read a new one.
        report_file = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(report_file, "wb") as file:
            file.write(text.encode("utf-8", "surrogatepass"))


@contextmanager
def _told_if_not_written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"the report {path} cannot be written ({error.strerror}): name another file."
        ) from error


def _is_report(path: Path) -> bool:
    try:
        document = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(document, dict) and {"tape", "counts"} <= document.keys()
