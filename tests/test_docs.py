"""The documents say what is so: help texts, tables, code and links."""

import re
import sqlite3
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator
from pathlib import Path

import pytest
from declared import REPOSITORY
from loose_module import load
from timed_tapes import TapeMaker, ask, created, session

from wiretape import errors
from wiretape.facts import End, EndKind, Piece, PieceKind, Sender
from wiretape.reconstruct import sessions_of
from wiretape.said import Outcome
from wiretape.segments import StoredPiece, pack
from wiretape.store_reader import TapeReader
from wiretape.store_writer import TapeLabel, TapeWriter

README = (REPOSITORY / "README.md").read_text("utf-8")
ARCHITECTURE = (REPOSITORY / "docs" / "architecture.md").read_text("utf-8")
TAPE_FORMAT = (REPOSITORY / "docs" / "tape.md").read_text("utf-8")
ROOMS = [
    REPOSITORY / room for room in ("wiretape", "gateway", "recorder", "replayer", "inspector_web")
]
SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))


write_help = load(REPOSITORY / "docs" / "write_help.py")


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of that language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def section(text: str, heading: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    (found,) = re.findall(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.M | re.S)
    return str(found)


def first_cells(table: str) -> list[str]:
    """The first cell of each row, without its code marks; headings and rulers left out."""
    cells = re.findall(r"^\| ([^|]*?) \|", table, re.MULTILINE)
    return [cell.strip("`") for cell in cells if cell not in ("column", "end", "code", "view")]


# The README.


def test_the_help_of_every_command_is_in_the_readme() -> None:
    """What stands there is what is printed; docs/write_help.py brings it up to date."""
    assert write_help.with_help(README) == README


def test_the_help_in_the_readme_is_what_a_terminal_shows() -> None:
    """The section is made of what the command really prints in a terminal of 80 columns."""
    ran = subprocess.run(
        [Path(sys.executable).with_name("wiretape"), "show", "--help"],
        env={"COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"### `wiretape show`\n\n```text\n{ran.stdout}```\n" in README


def test_verify_prints_what_the_readme_says() -> None:
    """Its example, as it stands."""
    said = section(README, "Is it the client, or the server?")
    command, printed = blocks(said, "sh")[0], blocks(said, "text")[0]
    program, *arguments = command.split()
    ran = subprocess.run(
        [Path(sys.executable).with_name(program), *arguments],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, printed, "")


def test_the_readme_names_every_exit_code_of_a_refusal() -> None:
    """Each exit code of the exception tree is explained, and so are those of a shell."""
    codes = {
        each.exit_code
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.WiretapeError)
    }
    named = set(map(int, re.findall(r"\d+", " ".join(first_cells(section(README, "Exit codes"))))))
    assert named == codes | {0, 126, 127}


def test_the_drawing_of_the_exceptions_is_whole() -> None:
    """Every refusal of every room is in it, below what it is a kind of, and nothing else."""
    drawn = re.findall(r"^    [ │├└─]*([A-Z]\w+)", errors.__doc__ or "", re.MULTILINE)
    kinds = {"WiretapeError"}
    sources = [path.read_text("utf-8") for room in ROOMS for path in room.rglob("*.py")]
    classes = [
        pair for each in sources for pair in re.findall(r"^class (\w+)\((\w+)\):", each, re.M)
    ]
    while more := {name for name, base in classes if base in kinds} - kinds:
        kinds |= more
    assert sorted(set(drawn)) == sorted(kinds)


MARKDOWN = sorted(
    path
    for path in REPOSITORY.rglob("*.md")
    if not any(part.startswith(".") for part in path.relative_to(REPOSITORY).parts)
)


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_link_leads_somewhere(path: Path) -> None:
    """A relative link in a document names a file or folder that is there."""
    targets = re.findall(r"\]\(([^)#\s]+)", path.read_text("utf-8"))
    local = [target for target in targets if "://" not in target]
    assert [target for target in local if not (path.parent / target).exists()] == []


FOLDERS = (*(room.name for room in ROOMS), "benchmarks", "demo", "docs", "scripts")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_readme_of_a_folder_names_what_lies_there(name: str) -> None:
    """Each file and each folder in it, and no module that is not there."""
    text = (REPOSITORY / name / "README.md").read_text("utf-8")
    there = {path.name for path in (REPOSITORY / name).iterdir() if path.name[0] not in "._"}
    assert sorted(there - {"README.md"} - set(re.findall(r"[\w.-]*\w", text))) == []
    assert sorted(set(re.findall(r"(?<![/\w])\w+\.py\b", text)) - there) == []


# The tape's format.


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """A tape that this wiretape has made, with nothing on it."""
    path = tmp_path_factory.mktemp("tape") / "fresh.db"
    with TapeWriter(path, TapeLabel("record", 0, "monotonic"), on_trouble=pytest.fail):
        pass
    connection = sqlite3.connect(path)
    yield connection
    connection.close()


def names(connection: sqlite3.Connection, kind: str) -> list[str]:
    """The tables or views of a tape, our own."""
    return [
        name
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = ?", (kind,))
        if not name.startswith(("_sqlite", "sqlite"))
    ]


def test_every_table_of_a_tape_is_described(fresh: sqlite3.Connection) -> None:
    """No table is left out, none is made up."""
    described = re.findall(r"^### `(\w+)`$", TAPE_FORMAT, re.MULTILINE)
    assert sorted(described) == sorted(names(fresh, "table"))


@pytest.mark.parametrize("table", ["tape", "exchanges", "segments", "bodies", "gaps"])
def test_every_column_is_described(fresh: sqlite3.Connection, table: str) -> None:
    """The columns and their types, in the tape's order."""
    rows = re.findall(r"^\| `(\w+)` \| ([A-Z]+) \|", section(TAPE_FORMAT, f"`{table}`"), re.M)
    columns = fresh.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
    assert rows == columns


def test_every_view_is_described(fresh: sqlite3.Connection) -> None:
    """No view is left out, none is made up."""
    assert sorted(first_cells(section(TAPE_FORMAT, "Views"))) == sorted(names(fresh, "view"))


def test_every_end_is_described() -> None:
    """The words of the column ``end`` are those of the facts."""
    table = section(TAPE_FORMAT, "`exchanges`").partition("| `end` | meaning |")[2]
    assert first_cells(table) == [each.value for each in EndKind]


OUTCOMES = {
    End(1, 9000, how, side): outcome
    for how, side, outcome in (
        (EndKind.COMPLETE, None, Outcome.CUT),
        (EndKind.WEBSOCKET_CLOSED, Sender.SERVER, Outcome.CUT),
        (EndKind.WEBSOCKET_CLOSED, Sender.CLIENT, Outcome.ABANDONED),
        (EndKind.CLIENT_CLOSED, Sender.CLIENT, Outcome.ABANDONED),
        (EndKind.SERVER_CLOSED, Sender.SERVER, Outcome.CUT),
        (EndKind.RESET, Sender.SERVER, Outcome.CUT),
        (EndKind.RESET, Sender.CLIENT, Outcome.ABANDONED),
        (EndKind.REFUSED, None, Outcome.UNREACHED),
        (EndKind.TLS_FAILURE, Sender.SERVER, Outcome.UNREACHED),
        (EndKind.PROTOCOL_ERROR, Sender.SERVER, Outcome.CUT),
        (EndKind.RECORDER_STOPPED, None, Outcome.OPEN),
    )
}
"""What ``docs/architecture.md`` says of an answer that was not complete, by its end."""


def test_the_architecture_names_every_end() -> None:
    """And what an attempt comes to by each."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (\w+)(?:, or (\w+))?", ARCHITECTURE, re.MULTILINE)
    assert [row[0] for row in rows] == [each.value for each in EndKind]
    documented = {row[0]: {each for each in row[1:] if each} for row in rows}
    foretold: dict[str, set[str]] = {}
    for end, outcome in OUTCOMES.items():
        foretold.setdefault(end.how, set()).add(outcome)
    assert documented == foretold


@pytest.mark.parametrize(
    ("end", "outcome"), OUTCOMES.items(), ids=lambda each: getattr(each, "how", each)
)
def test_an_answer_that_was_not_complete(end: End, outcome: Outcome, tmp_path: Path) -> None:
    """It comes to what its end says."""
    maker = TapeMaker(tmp_path / "t.db")
    post = maker.post(0, ask("hi"), session("s1"))
    post.head(5)
    post.events(6, created())
    maker.facts.append(end)
    with maker.read() as reader:
        (found,) = sessions_of(reader)
    assert found.requests[0].last.outcome is outcome


KINDS = {
    "chunk of a response body": PieceKind.CHUNK,
    "text message": PieceKind.TEXT,
    "binary message": PieceKind.BINARY,
    "ping": PieceKind.PING,
    "pong": PieceKind.PONG,
    "close frame": PieceKind.CLOSE,
    "bytes that are not valid WebSocket frames": PieceKind.UNDECODED,
}


def documented_codes() -> dict[int, tuple[Sender, PieceKind]]:
    """The table of codes: number, who sent it, and what it is."""
    rows = re.findall(
        r"^\| ([\d, ]+) \| ([\w, ]+): ([\w ]+?)(?: \(.*)? \|$",
        section(TAPE_FORMAT, "A segment"),
        re.MULTILINE,
    )
    return {
        int(code): (Sender(sender), KINDS[what])
        for codes, senders, what in rows
        for code, sender in zip(codes.split(", "), senders.split(", "), strict=True)
    }


def test_every_code_of_a_segment_is_described() -> None:
    """Each documented code is the one that a piece of that kind is packed with."""
    codes = documented_codes()
    packed = {code: pack([StoredPiece(0, *pair, b"")])[4] for code, pair in codes.items()}
    assert packed == {code: code for code in range(13)}


def run_block(number: int, tape: Path) -> list[str]:
    """What a Python block of the document prints for a tape."""
    ran = subprocess.run(
        [sys.executable, "-c", blocks(TAPE_FORMAT, "python")[number], tape],
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout.splitlines()


def all_pieces(reader: TapeReader) -> list[Piece]:
    """Every piece on a tape, exchange by exchange."""
    return [piece for exchange in reader.exchanges() for piece in reader.pieces(exchange.id)]


@pytest.mark.parametrize("tape", SAMPLES, ids=lambda path: path.parent.name)
def test_the_documented_code_reads_segments_and_bodies(tape: Path) -> None:
    """Its few lines give what our own reader gives."""
    codes = documented_codes()
    bodies = dict(line.split(" ", 1) for line in run_block(1, tape))
    with TapeReader(tape) as reader:
        pieces = all_pieces(reader)
        sent = [reader.request_body(exchange.id) for exchange in reader.exchanges()]
    read = []
    for line in run_block(0, tape):
        exchange, at_us, code, data = line.split(" ", 3)
        if int(code) & 128:
            data = bodies[str(int.from_bytes(literal_eval(data), "little"))]
        read.append((int(exchange), int(at_us), *codes[int(code) & 127], data))
    assert read == [
        (piece.exchange, piece.at_us, piece.sender, piece.kind, repr(piece.data))
        for piece in pieces
    ]
    assert {repr(body) for body in sent if body} <= set(bodies.values())


@pytest.mark.parametrize("query", blocks(TAPE_FORMAT, "sql"))
def test_the_documented_questions_have_answers(query: str) -> None:
    """Each query runs, and finds something on the tape with a fallback."""
    (tape,) = [path for path in SAMPLES if path.parent.name == "websocket-fallback"]
    connection = sqlite3.connect(f"{tape.as_uri()}?mode=ro", uri=True)
    try:
        assert connection.execute(query).fetchall()
    finally:
        connection.close()
