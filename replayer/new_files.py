"""Files that a command makes: new ones only, for their owner's eyes."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from wiretape.errors import UsageError, WouldOverwrite


def check_new(paths: Iterable[Path]) -> None:
    """Sees to it, before anything is run, that none of them is there, and that their folders are.

    Raises:
        WouldOverwrite: one is there.
        UsageError: a folder cannot be made.
    """
    for path in paths:
        make_folder(path, "-o")
        if path.exists():
            raise WouldOverwrite(f"{path} exists already: choose another name or remove it first.")


def make_folder(path: Path, option: str) -> None:
    """Sees to it that a file named by ``option`` has a folder, as the tape of a recording has.

    Raises:
        UsageError: it cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder {path.parent} cannot be made ({error.strerror}): name another file with "
            f"{option}."
        ) from error


def write_new(files: Mapping[Path, str]) -> None:
    """Writes texts to new files.

    Raises:
        WouldOverwrite: one of them is there already.
        UsageError: one cannot be written, nor its folder made. Either way, none is left behind.
    """
    check_new(files)
    with ExitStack() as unless_all_are:
        for path, text in files.items():
            try:
                # Nobody else may read what an agent and its model said.
                new = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
                unless_all_are.callback(path.unlink, missing_ok=True)
                with os.fdopen(new, "wb") as file:
                    file.write(text.encode())
            except OSError as error:
                raise UsageError(
                    f"{path} cannot be written ({error.strerror}): choose another place with -o."
                ) from error
        unless_all_are.pop_all()
