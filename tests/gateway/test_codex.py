"""Codex as it stands in a command and on this machine."""

from pathlib import Path

import pytest

from gateway.codex import codex_config, codex_home, place_of_codex


@pytest.mark.parametrize(
    ("environment", "home"),
    [
        ({"HOME": "/home/ada"}, "/home/ada/.codex"),
        ({"HOME": "/home/ada", "CODEX_HOME": "/elsewhere"}, "/elsewhere"),
        ({"HOME": "/home/ada", "CODEX_HOME": ""}, "/home/ada/.codex"),
    ],
)
def test_its_folder(environment: dict[str, str], home: str) -> None:
    """The one that its variable names, else the usual one."""
    assert codex_home(environment) == Path(home)


def test_its_settings(tmp_path: Path) -> None:
    """The text as it stands there, whatever its bytes are."""
    (tmp_path / "config.toml").write_bytes(b'model = "m"\n# \xff')
    assert codex_config({"CODEX_HOME": str(tmp_path)}) == 'model = "m"\n# \ufffd'


def test_no_settings(tmp_path: Path) -> None:
    """Where there is no such file, or a folder in its place, there are none."""
    assert codex_config({"CODEX_HOME": str(tmp_path)}) == ""
    (tmp_path / "config.toml").mkdir()
    assert codex_config({"CODEX_HOME": str(tmp_path)}) == ""


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("codex exec hi", 0),
        ("env A=1 /opt/bin/codex-0.99 exec hi", 2),
        ("npx codex@latest", 1),
        ("sh -c codex;exec", None),
        ("my-codex", None),
        ("codexes", None),
    ],
)
def test_its_word_in_a_command(command: str, place: int | None) -> None:
    """By the end of its path, with or without a version."""
    assert place_of_codex(command.split(" ")) == place
