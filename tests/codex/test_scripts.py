"""Scripts and the real client: written by hand, exported, replayed, recorded and exported again."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cells import WIRETAPE, Cell
from codex_run import normalised, run_codex
from declared import REPOSITORY
from situations import (
    DEFAULT_TRANSPORT,
    OTHER_TRANSPORT_FEATURES,
    SITUATIONS,
    Transport,
    Version,
)

pytestmark = pytest.mark.codex

EXAMPLES = re.findall(
    r"^```yaml\n(.*?)^```",
    (REPOSITORY / "docs" / "scripts.md").read_text("utf-8"),
    re.MULTILINE | re.DOTALL,
)
CELLS = [
    (name, version, transport)
    for name in (
        "tool-round",
        "cut-then-answer",
        "hang-then-answer",
        "closed-until-fallback",
        "upgrade-426",
        "default-provider",
    )
    for version in Version
    for transport in SITUATIONS[name].scripts
]


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize(("number", "said"), [(0, "Hello."), (1, "Awake again.")])
def test_a_script_of_the_documents_plays(
    number: int, said: str, version: Version, codex: Callable[[str], Path], tmp_path: Path
) -> None:
    """As it is printed there, to a client that is not configured but for its transport."""
    script = tmp_path / "example.script"
    script.write_text(EXAMPLES[number])
    transport = Transport.WEBSOCKET if number else DEFAULT_TRANSPORT[version]
    run = run_codex(
        codex(version),
        "say hello",
        base_url=None,
        transport=transport,
        home=tmp_path / "home",
        cwd=tmp_path / "cwd",
        command_prefix=[WIRETAPE, "replay", str(script), "--strict", "--"],
        features=() if transport is DEFAULT_TRANSPORT[version] else ("responses_websockets",),
        environment={"WIRETAPE_CA_DIR": str(tmp_path / "ca")},
    )
    assert run.final_message == said
    assert " 0 different, 0 unexpected," in run.stderr


def test_the_model_of_the_documents_has_ten_lines() -> None:
    """As its heading says."""
    assert len(EXAMPLES[0].splitlines()) <= 10


@pytest.mark.parametrize(("name", "version", "transport"), CELLS)
def test_a_script_gives_itself_again(
    name: str,
    version: Version,
    transport: Transport,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """Exported, replayed to the real client and exported again, it is the same file; and the
    client lives through what it lived through."""
    features = () if transport is DEFAULT_TRANSPORT[version] else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(SITUATIONS[name], codex(version), transport, tmp_path / "cell", features)
    cell.folder.mkdir()
    recorded = cell.recorded().codex
    script = exported(cell.tape)
    cell.tape.write_text(script)

    replayed, report = cell.replayed()
    assert exported(cell.replay_tape) == script
    assert normalised(replayed.events) == normalised(recorded.events)
    assert replayed.exit_code == recorded.exit_code
    assert [report[verdict] for verdict in ("different", "unexpected", "not_asked")] == [[]] * 3


def exported(tape: Path) -> str:
    """The stable script of a tape, which makes room for it."""
    script = tape.with_suffix(".script")
    subprocess.run(
        [WIRETAPE, "export", tape, "--to", "script", "--stable", "-o", script], check=True
    )
    text = script.read_text("utf-8")
    script.unlink()
    tape.unlink()
    return text


@pytest.mark.parametrize("version", Version)
@pytest.mark.parametrize(
    ("name", "transport"),
    [
        ("tool-round", Transport.SSE),
        ("tool-round", Transport.WEBSOCKET),
        ("closed-until-fallback", Transport.WEBSOCKET),
    ],
)
def test_what_a_script_plays_is_recorded_as_the_same_script(
    name: str,
    transport: Transport,
    version: Version,
    codex: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    """With our own recorder between the client and the replay."""
    features = () if transport is DEFAULT_TRANSPORT[version] else OTHER_TRANSPORT_FEATURES[version]
    cell = Cell(SITUATIONS[name], codex(version), transport, tmp_path / "cell", features)
    cell.folder.mkdir()
    cell.recorded()
    script = tmp_path / "first.script"
    script.write_text(exported(cell.tape))
    with serving(script) as url:
        cell.again([WIRETAPE, "record", "-o", str(cell.tape), "--upstream", url, "--"])
    assert exported(cell.tape) == script.read_text()


@contextmanager
def serving(script: Path) -> Iterator[str]:
    """Serves a script as a base URL while the context lasts."""
    with subprocess.Popen(
        [WIRETAPE, "replay", script], stderr=subprocess.PIPE, text=True
    ) as replay:
        assert replay.stderr is not None
        try:
            (url,) = re.findall(r" at (http://\S+),", replay.stderr.readline())
            yield url
        finally:
            replay.terminate()
            replay.communicate()
