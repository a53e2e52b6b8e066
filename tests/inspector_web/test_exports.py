"""What the inspector lets a browser keep: the same files that `wiretape export` writes."""

import re
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, call, completed, created, delta, done, output, session
from werkzeug.test import TestResponse

from inspector_web import exports
from inspector_web.filters import coded
from wiretape.cli import wiretape

type Browse = Callable[..., FlaskClient]
type Exported = Callable[..., dict[str, bytes]]


@pytest.fixture
def two(folder: Path) -> Path:
    """A tape of two sessions: one with a tool round, then one with a single answer."""
    maker = TapeMaker(folder / "two.db")
    first = ask("List the files.")
    maker.post(0, first, session("s-1")).answer(
        10, created("r_1"), done(call("c_1")), completed("r_1")
    )
    follow_up = ask("List the files.", call("c_1"), output("c_1", "a b"))
    maker.post(100, follow_up, session("s-1")).answer(110, created(), delta("Two."), completed())
    maker.post(200, ask("Hello"), session("s-2")).answer(210, created(), delta("Hi."), completed())
    return maker.write()


@pytest.fixture
def client(two: Path, fallback: Path, browse: Browse) -> FlaskClient:
    """A browser for them."""
    return browse(two, fallback)


@pytest.fixture
def exported(two: Path, tmp_path: Path) -> Exported:
    """What the command writes to a file of this name, with these options: all files by name."""

    def run(name: str, *options: str) -> dict[str, bytes]:
        into = tmp_path / "out"
        command = ["export", str(two), *options, "-o", str(into / name)]
        ended = CliRunner().invoke(wiretape, command)
        assert ended.exit_code == 0, ended.output
        return {path.name: path.read_bytes() for path in into.iterdir()}

    return run


def name_of(answer: TestResponse) -> str:
    """Under which name a browser keeps it."""
    assert answer.status_code == 200, answer.text
    begin, _, name = answer.headers["Content-Disposition"].partition("=")
    assert begin == "attachment; filename"
    return name.strip('"')


def files_in(answer: TestResponse) -> dict[str, bytes]:
    """The files of an archive."""
    with ZipFile(BytesIO(answer.data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_tape_is_downloaded_as_its_script(client: FlaskClient, exported: Exported) -> None:
    """The one that the command writes."""
    answer = client.get("/tapes/two/script")
    assert {name_of(answer): answer.data} == exported("two.script", "--to", "script")


def test_a_session_is_downloaded_as_its_script(client: FlaskClient, exported: Exported) -> None:
    """Without what the other sessions asked."""
    answer = client.get("/tapes/two/sessions/2/script")
    written = exported("two-session-2.script", "--session", "s-2", "--to", "script")
    assert {name_of(answer): answer.data} == written
    assert b"List the files." not in answer.data


def test_one_answer_is_downloaded_as_its_fixture(client: FlaskClient, exported: Exported) -> None:
    """The one file."""
    answer = client.get("/tapes/two/sessions/2/fixture")
    written = exported("two-session-2.sse", "--session", "s-2", "--to", "fixture")
    assert {name_of(answer): answer.data} == written


def test_several_answers_are_downloaded_as_an_archive(
    client: FlaskClient, exported: Exported
) -> None:
    """Of the files that the command writes, under their names."""
    answer = client.get("/tapes/two/sessions/1/fixture")
    written = exported("two-session-1.sse", "--session", "s-1", "--to", "fixture")
    assert name_of(answer) == "two-session-1.zip"
    assert files_in(answer) == written
    assert sorted(written) == ["two-session-1-1.sse", "two-session-1-2.sse"]


def test_what_a_fixture_cannot_hold_is_refused(
    client: FlaskClient, fallback: Path, tmp_path: Path
) -> None:
    """In the words of the command."""
    options = ["export", str(fallback), "--to", "fixture", "-o", str(tmp_path / "f.sse")]
    refused = CliRunner().invoke(wiretape, options).exception
    answer = client.get("/tapes/fallback/sessions/1/fixture")
    assert answer.status_code == 422
    assert "a fixture cannot hold how its connection was lost" in str(refused)
    assert str(coded(str(refused)[1:])) in answer.text


def test_what_a_fixture_can_hold_is_downloaded_with_what_is_left_out(client: FlaskClient) -> None:
    """In a file beside it, a sentence for each answer that lacks something."""
    files = files_in(client.get("/tapes/fallback/sessions/1/fixture?lossy=1"))
    assert list(files) == [*(f"fallback-session-1-{n}.sse" for n in (1, 2, 3)), "left-out.txt"]
    assert files["left-out.txt"].decode().splitlines() == [
        "a fixture cannot hold how its connection was lost (exchange 1, message 0).",
        "a fixture cannot hold how its connection was lost (exchange 2, message 0).",
    ]


@pytest.mark.parametrize(
    ("address", "command"),
    [
        ("/tapes/two/script", "wiretape export TAPE --to script -o FILE"),
        (
            "/tapes/two/sessions/1/script",
            "wiretape export TAPE --session s-1 --to script -o FILE",
        ),
        (
            "/tapes/two/sessions/1/fixture",
            "wiretape export TAPE --session s-1 --to fixture -o FILE",
        ),
    ],
)
def test_what_would_be_too_long_is_refused(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch, address: str, command: str
) -> None:
    """With the command that writes it."""
    monkeypatch.setattr(exports, "MOST_BYTES", 10)
    answer = client.get(address)
    assert answer.status_code == 404
    assert command in answer.text


def test_a_small_session_of_a_large_tape_is_downloaded(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the others hold does not count."""
    size_bytes = len(client.get("/tapes/two/sessions/2/fixture").data)
    monkeypatch.setattr(exports, "MOST_BYTES", 2 * size_bytes)
    assert client.get("/tapes/two/script").status_code == 404
    assert client.get("/tapes/two/sessions/2/script").status_code == 200


def test_the_page_offers_what_can_be_downloaded(client: FlaskClient) -> None:
    """Of this session, and of the tape."""
    page = client.get("/tapes/two/sessions/2/again").text
    for address in ("/sessions/2/script", "/script", "/sessions/2/fixture?lossy=1"):
        assert f'href="/tapes/two{address}"' in page


def test_the_page_says_why_there_is_no_download(folder: Path, browse: Browse) -> None:
    """Before anybody presses it; nor is the command offered that would be refused."""
    maker = TapeMaker(folder / "limit.db")
    maker.post(0, ask("hi"), session("s")).refuse(5, 429)
    maker.write()
    client = browse()
    page = client.get("/tapes/limit/sessions/1/again").text
    words = (
        "a fixture cannot hold the status 429 (exchange 1), and there is nothing else to tell: use "
        "`--to script`."
    )
    told = coded(words[1:])
    assert f"Not the fixtures of this session: a{told}" in page
    assert "/sessions/1/fixture" not in page
    assert "--to fixture" not in page
    assert str(told) in client.get("/tapes/limit/sessions/1/fixture?lossy=1").text
    assert 'href="/tapes/limit/sessions/1/script"' in page


def test_the_page_says_what_is_too_long_for_a_download(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the command that writes it all the same."""
    monkeypatch.setattr(exports, "MOST_BYTES", 10)
    page = client.get("/tapes/two/sessions/1/again").text
    command = "<code>wiretape export TAPE --session s-1 --to {} -o FILE</code> writes it."
    for form, kind in (
        ("script of this session", "script"),
        ("fixtures of this session", "fixture"),
    ):
        assert re.search(f"Not the {form}: [^<]*{re.escape(command.format(kind))}", page)
    assert "--to fixture --lossy" in page
    assert "/sessions/1/script" not in page


def test_a_session_that_is_not_there_is_refused(client: FlaskClient) -> None:
    """Like any other page of it."""
    assert client.get("/tapes/two/sessions/3/script").status_code == 404
    assert client.get("/tapes/two/sessions/3/fixture").status_code == 404
