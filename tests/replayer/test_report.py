"""The report of a replay: for machines, for a person, and as a file."""

import json
from pathlib import Path

import pytest

from replayer.likeness import Difference
from replayer.report import NotAsked, ReplayedRequest, Report, SideRequest, Verdict
from replayer.report_file import check_report_file, write_report
from wiretape.asked import RequestKind
from wiretape.attempts import Transport
from wiretape.errors import UsageError, WouldOverwrite

MODEL = Difference("model", "one", "two")


def request(
    number: int,
    verdict: Verdict,
    exchange: int | None = 1,
    message: int | None = None,
    differences: tuple[Difference, ...] = (),
) -> ReplayedRequest:
    transport = Transport.HTTP if message is None else Transport.WEBSOCKET
    return ReplayedRequest(
        number, transport, RequestKind.CREATE, 5, verdict, exchange, message, differences
    )


def full_report() -> Report:
    report = Report(
        requests=[
            request(1, Verdict.EXACT),
            request(2, Verdict.DIFFERENT, 2, 0, (MODEL,)),
            request(3, Verdict.UNEXPECTED, 2, 1, (MODEL,) * 7),
            request(4, Verdict.UNEXPECTED, None),
        ],
        side_requests=[SideRequest(1, "GET /models", 5, None)],
        not_asked=[NotAsked(Transport.WEBSOCKET, RequestKind.WARM_UP, 9, 3)],
    )
    report.blocked.update({"github.com:443": 2, "evil\x1b[2J.example:80": 1})
    report.note("once")
    report.note("once")
    return report


def test_the_counts_add_up() -> None:
    """Every request is exact, different or unexpected; blocks are counted each time."""
    counts = full_report().counts()
    assert counts == {
        "requests": 4,
        "exact": 1,
        "different": 1,
        "unexpected": 2,
        "not_asked": 1,
        "blocked": 3,
    }
    assert counts["requests"] == counts["exact"] + counts["different"] + counts["unexpected"]


def test_the_report_for_machines_lists_what_it_counts() -> None:
    """For each count there is a list, and each item says what it was and where."""
    document = json.loads(json.dumps(full_report().as_json()))
    assert list(document) == [
        "counts",
        "requests",
        "exact",
        "different",
        "unexpected",
        "not_asked",
        "blocked",
        "side_requests",
        "notes",
    ]
    assert [each["number"] for each in document["requests"]] == [1, 2, 3, 4]
    assert [each["number"] for each in document["unexpected"]] == [3, 4]
    assert document["different"] == [
        {
            "number": 2,
            "transport": "websocket",
            "kind": "create",
            "connection": 5,
            "verdict": "different",
            "exchange": 2,
            "message": 0,
            "differences": [{"path": "model", "recorded": "one", "replayed": "two"}],
        }
    ]
    assert document["not_asked"] == [
        {"transport": "websocket", "kind": "warm_up", "exchange": 9, "message": 3}
    ]
    assert document["blocked"][0] == {"what": "github.com:443", "times": 2}
    assert document["side_requests"] == [
        {"number": 1, "what": "GET /models", "connection": 5, "exchange": None}
    ]
    assert document["notes"] == ["once"]


def test_the_report_for_a_person_says_what_is_not_exact() -> None:
    """One line for the counts, one for everything worth a look; nothing in it moves the cursor."""
    assert list(full_report().lines()) == [
        "4 requests: 1 exact, 1 different, 2 unexpected, 1 not asked, 3 blocked.",
        "  different: request 2 (websocket create), recorded as exchange 2, message 0; "
        "differs in model",
        "  unexpected: request 3 (websocket create), nearest is exchange 2, message 1; "
        "differs in model, model, model, model, model and 2 more",
        "  unexpected: request 4 (http create), nothing like it was recorded",
        "  not asked: websocket warm_up, recorded as exchange 9, message 3",
        "  blocked: github.com:443 (2 times)",
        "  blocked: evil\\x1b[2J.example:80 (1 time)",
        "  note: once",
    ]


def test_one_request_is_said_in_the_singular() -> None:
    """A line that people read is good English."""
    report = Report(requests=[request(1, Verdict.EXACT)])
    assert next(report.lines()).startswith("1 request: 1 exact, ")


@pytest.mark.parametrize(
    ("report", "has_findings"),
    [
        (Report(), False),
        (Report(requests=[request(1, Verdict.EXACT)]), False),
        (Report(requests=[request(1, Verdict.DIFFERENT)]), True),
        (Report(requests=[request(1, Verdict.UNEXPECTED)]), True),
        (Report(not_asked=[NotAsked(Transport.HTTP, RequestKind.CREATE, 1, None)]), True),
        (Report(side_requests=[SideRequest(1, "GET /models", 5, None)], notes=["n"]), False),
    ],
)
def test_a_finding_is_what_was_not_as_recorded(report: Report, has_findings: bool) -> None:
    """Notes and side requests are none: clients come and go with them."""
    assert report.has_findings is has_findings


def test_blocks_are_no_finding() -> None:
    """Clients send metrics all the time; that these go nowhere is as it should be."""
    report = Report()
    report.blocked["ab.chatgpt.com:443"] += 1
    assert not report.has_findings


def test_a_report_file_says_what_was_replayed_to_whom(tmp_path: Path) -> None:
    """Tape, command without its secrets, exit code, then the report; in UTF-8."""
    path = tmp_path / "report.json"
    command = ["codex", "--api-key", "sk-very-secret-key", "naïve \udcff"]
    write_report(path, Path("a.db"), command, 3, {"counts": {"requests": 0}})
    assert json.loads(path.read_text("utf-8", "surrogatepass")) == {
        "tape": "a.db",
        "command": ["codex", "--api-key", "[removed]", "naïve \udcff"],
        "exit_code": 3,
        "counts": {"requests": 0},
    }


def test_an_earlier_report_may_be_replaced(tmp_path: Path) -> None:
    """A test that runs again writes its report again."""
    path = tmp_path / "report.json"
    check_report_file(path)
    write_report(path, Path("a.db"), [], 0, {"counts": {}})
    check_report_file(path)


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"[]", b'{"tape": "a.db"}'])
def test_nothing_else_is_replaced(tmp_path: Path, content: bytes) -> None:
    """A file that is no report was not meant."""
    path = tmp_path / "precious"
    path.write_bytes(content)
    with pytest.raises(WouldOverwrite, match=f"^{path} exists and is no report of a replay: "):
        check_report_file(path)


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    """The folder itself, and a folder that is not there."""
    with pytest.raises(WouldOverwrite):
        check_report_file(tmp_path)
    with pytest.raises(UsageError, match=f"^there is no folder {tmp_path / 'none'}: "):
        check_report_file(tmp_path / "none" / "report.json")


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """What came in between the check and the writing is told like everything else."""
    (tmp_path / "report.json").mkdir()
    with pytest.raises(UsageError, match=r"report\.json cannot be written"):
        write_report(tmp_path / "report.json", Path("a.db"), [], 0, {})
