"""The sample tapes: each is what its README says, and replays as its README says."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from declared import REPOSITORY

from wiretape.commands.tape_json import tape_as_json
from wiretape.store_reader import TapeReader

FOLDER = REPOSITORY / "recordings" / "samples"
STAGE = "/tmp/wiretape-sample"
NAMES = (
    "cut-stream",
    "sse-tool-call",
    "upgrade-refused",
    "websocket-fallback",
    "websocket-tool-call",
)
OF_A_MACHINE = re.compile(rb"/(?:home|Users|root|work|opt|var|private|mnt)/[^ \"'<\\]*")

each_sample = pytest.mark.parametrize("name", NAMES)


def documented(name: str) -> dict[str, str]:
    """The table of a sample's README, without its code marks."""
    text = (FOLDER / name / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w[\w ]*) \| (.*) \|$", text, re.MULTILINE)
    return {name: value.strip("`") for name, value in rows}


def everything(tape: Path) -> Iterator[bytes]:
    """Each thing that a tape holds, decoded."""
    with TapeReader(tape) as reader:
        yield repr(reader.label()).encode()
        for exchange in reader.exchanges():
            yield json.dumps(asdict(exchange)).encode()
            yield reader.request_body(exchange.id)
            yield from (piece.data for piece in reader.pieces(exchange.id))


def test_every_sample_is_tested() -> None:
    """The list in this file is the list of the folder."""
    assert sorted(path.parent.name for path in FOLDER.glob("*/tape.db")) == list(NAMES)


@each_sample
def test_a_sample_is_what_its_readme_says(name: str) -> None:
    """Every number of the README's table is the tape's."""
    (session,) = tape_as_json(FOLDER / name / "tape.db", with_requests=False)["sessions"]
    said = documented(name)
    shown = {
        "requests": str(session["requests"]),
        "attempts": str(session["attempts"]),
        "retries": str(session["retries"]),
        "fallbacks": str(session["fallbacks"]),
        "transports": ", ".join(session["transports"]),
        "events": str(session["events"]),
        "outcome": session["outcome"],
    }
    assert shown == {name: said[name] for name in shown}
    version = re.search(r"codex_exec/(\S+)", session["client"])
    assert version is not None
    assert said["client"].startswith(f"Codex CLI {version[1]},")


@each_sample
def test_a_sample_is_small_and_in_one_file(name: str) -> None:
    """A tape stays under 60 kB, and nothing of a writer lies beside it."""
    files = sorted(path.name for path in (FOLDER / name).iterdir())
    assert files == ["README.md", "config.toml", "tape.db"]
    assert (FOLDER / name / "tape.db").stat().st_size < 60_000


@each_sample
def test_a_sample_tells_nothing_of_the_machine_that_made_it(name: str) -> None:
    """No path of a person's or a machine's folders, no key: only the neutral folder."""
    content = b"\n".join(everything(FOLDER / name / "tape.db"))
    assert OF_A_MACHINE.findall(content) == []
    assert b"sk-dummy" not in content
    assert STAGE.encode() in content


def test_tapes_of_ones_own_are_ignored_and_samples_are_not() -> None:
    """What a person records never slips into a commit; the samples are there to be kept."""
    paths = ["recordings/20260102T030405Z-codex.db", "recordings/demo.db-wal"]
    samples = [f"recordings/samples/{name}/tape.db" for name in NAMES]
    ran = subprocess.run(
        ["git", "check-ignore", *paths, *samples],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stdout.split() == paths


@pytest.mark.codex
@each_sample
def test_the_real_codex_replays_a_sample(
    name: str, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """The README's command, typed as it stands, ends as the README says."""
    said = documented(name)
    codex(said["client"].removeprefix("Codex CLI ").partition(",")[0])
    text = (FOLDER / name / "README.md").read_text("utf-8")
    (command,) = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    ran = subprocess.run(
        # Two test runs at once must not share the folder.
        ["sh", "-ec", command.replace(STAGE, str(tmp_path / "stage"))],
        cwd=REPOSITORY,
        env={name: value for name, value in os.environ.items() if name in _KEPT}
        | {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(tmp_path),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == int(said["exit code"]), ran.stderr
    assert ran.stdout.strip() == said["final message"]
    counts = json.loads((tmp_path / "stage" / "report.json").read_text("utf-8"))["counts"]
    assert (counts["unexpected"], counts["not_asked"]) == (0, 0)
    # In another folder than the documented one, what tells of the folder differs.
    assert counts["requests"] == counts["exact"] + counts["different"]
    asked = counts["requests"]
    (report,) = re.findall(r"```text\n(.*?)\n```", text, re.DOTALL)
    assert report == (
        f"wiretape: asked {asked} times: {asked} exact, 0 different, 0 unexpected, 0 not asked"
    )


_KEPT = ("LANG", "TZ", "TMPDIR", "WIRETAPE_CODEX_CACHE")
