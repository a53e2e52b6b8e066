"""Runs the reference client many times in one process: ``python many_tasks.py FOLDER ...``.

Each folder is a ``CODEX_HOME``; its file ``version`` says as which Codex to behave. What the client
prints goes into the file ``printed`` beside it.
"""

import os
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

from replayer.reference.__main__ import main

for folder in map(Path, sys.argv[1:]):
    os.environ["CODEX_HOME"] = str(folder)
    version = (folder / "version").read_text("utf-8")
    with (
        (folder / "printed").open("w", encoding="utf-8") as printed,
        redirect_stdout(printed),
        suppress(SystemExit),
    ):
        main(["exec", "--delays", "0", "--behave-as", version, "Follow the script."])
