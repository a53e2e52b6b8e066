"""``wiretape diagnose``, as it is used."""

import json
from pathlib import Path

import pytest
from timed_tapes import TapeMaker, ask, completed, created, session

from wiretape.cli import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    """The exit code, what went to stdout, and what went to stderr."""
    with pytest.raises(SystemExit) as exit_info:
        main([str(argument) for argument in ("diagnose", *arguments)])
    out, err = capsys.readouterr()
    assert isinstance(exit_info.value.code, int)
    return exit_info.value.code, out, err


def broken(maker: TapeMaker) -> Path:
    """A tape with one finding."""
    maker.post(0, ask("hi"), session("s\x1b1")).refuse(5, 502, "<html>")
    return maker.write()


def test_a_healthy_tape_ends_with_0(maker: TapeMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, the verdict."""
    maker.post(0, ask("hi"), session("s1")).answer(1, created(), completed())
    path = maker.write()
    code, out, err = run(capsys, path)
    assert (code, out, err) == (0, f"{path}: nothing wrong: 1 session, 1 request.\n", "")


def test_findings_end_with_1(maker: TapeMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """Verdict, then for each finding what was seen, what it means, what to try, and where."""
    path = broken(maker)
    code, out, err = run(capsys, path)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[:4] == [
        f"{path}: 1 finding (1 not recovered) in 1 session, 1 request: refused: 502 Bad Gateway.",
        "",
        "http_error (not recovered), session 1 (s\\x1b1), request 1",
        "  refused: 502 Bad Gateway.",
    ]
    assert lines[4].startswith("  It means: ")
    assert lines[5].startswith("  Try: ")
    assert lines[6:] == ["  Seen: exchange 1, http.response at 0.005 s"]


def test_findings_as_json(maker: TapeMaker, capsys: pytest.CaptureFixture[str]) -> None:
    """The same for machines."""
    path = broken(maker)
    code, out, _ = run(capsys, path, "--json")
    assert code == 1
    found = json.loads(out)
    (finding,) = found["findings"]
    assert found["tape"] == str(path)
    assert found["verdict"] == (
        "1 finding (1 not recovered) in 1 session, 1 request: refused: 502 Bad Gateway."
    )
    assert finding["evidence"] == [
        {"exchange": 1, "at_us": 5000, "event": "http.response", "message": None}
    ]
    assert {key: finding[key] for key in finding.keys() - {"meaning", "advice", "evidence"}} == {
        "kind": "http_error",
        "severity": "broken",
        "session": 1,
        "session_id": "s\x1b1",
        "request": 1,
        "what": "refused: 502 Bad Gateway",
    }
    assert finding["meaning"] and finding["advice"]


def test_what_is_no_tape_ends_with_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence on stderr."""
    code, out, err = run(capsys, tmp_path / "missing.db")
    assert (code, out) == (3, "")
    assert err.startswith("wiretape: there is no tape at ")
