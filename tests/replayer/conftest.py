"""What the tests of the replayer may ask for."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from replay_runs import Ran, conversation
from replaying import Replaying, replaying
from tapes import Recording

from gateway.authority import Authority, open_authority
from replayer.player import Player
from replayer.script import Script
from wiretape.cli import main
from wiretape.store_reader import TapeReader

type OpenScript = Callable[..., Script]
type OpenPlayer = Callable[..., Player]


@pytest.fixture
def script(tmp_path: Path) -> Iterator[OpenScript]:
    """Gives the script of a recording, ``script(recording, sessions=…)``."""
    with ExitStack() as stack:

        def open_script(recording: Recording, sessions: tuple[str, ...] = ()) -> Script:
            path = recording.write(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
            return Script(stack.enter_context(TapeReader(path)), sessions)

        yield open_script


@pytest.fixture
def player(script: OpenScript) -> OpenPlayer:
    """Gives a player of a recording, ``player(recording, is_strict=…)``."""

    def open_player(recording: Recording, *, is_strict: bool = False) -> Player:
        return Player(script(recording), is_strict=is_strict)

    return open_player


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """A certificate authority for all tests: making one takes a while."""
    return open_authority({"WIRETAPE_CA_DIR": str(tmp_path_factory.mktemp("ca"))})


@pytest.fixture
def serve(tmp_path: Path, authority: Authority) -> Callable[..., AbstractContextManager[Replaying]]:
    """Serves a recording while a context lasts: ``with serve(recording, factor=…) as server``."""

    def served(recording: Recording, **options: Any) -> AbstractContextManager[Replaying]:
        path = recording.write(tmp_path / f"{len(list(tmp_path.iterdir()))}.db")
        return replaying(path, authority, **options)

    return served


@pytest.fixture
def command(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> Callable[..., Ran]:
    """Runs a command in this process: ``command("replay", tape, …)``."""
    # Loading the authority's key anew for each run takes longer than the rest of it.
    for name in ("gateway.authority", "replayer.run"):
        monkeypatch.setattr(f"{name}.open_authority", lambda _: authority)

    def ran(*arguments: str | Path) -> Ran:
        capfd.readouterr()
        with pytest.raises(SystemExit) as left:
            main([*map(str, arguments)])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(int(left.value.code or 0), out, err)

    return ran


@pytest.fixture
def run(command: Callable[..., Ran]) -> Callable[..., Ran]:
    """Runs ``wiretape replay`` with these arguments, in this process."""
    return partial(command, "replay")


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    return conversation("a", "b").write(tmp_path / "tape.db")
