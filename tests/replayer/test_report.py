"""The report of a replay: for machines, for a person, and as a file."""

import json
from pathlib import Path

import pytest

from replayer.report import Blocked, NotAsked, ReplayedRequest, Report, SideRequest, Verdict
from replayer.report_file import check_report_file, write_report
from wiretape.asked import RequestKind
from wiretape.attempt import Transport
from wiretape.errors import UsageError, WouldOverwrite
from wiretape.likeness import Change, Difference

MODEL = Difference("model", Change.CHANGED, "one", "two")


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
    blocked = {"GET github.com:443/a": 1, "GET github.com:443/b": 1}
    report.blocked.update({Blocked("github.com:443", what): n for what, n in blocked.items()})
    report.blocked[Blocked("evil\x1b[2J.example:80", "evil\x1b[2J.example:80")] += 1
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
        "passed_on",
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
            "differences": [
                {"path": "model", "change": "changed", "recorded": "one", "replayed": "two"}
            ],
            "refusal": None,
        }
    ]
    assert document["not_asked"] == [
        {"transport": "websocket", "kind": "warm_up", "exchange": 9, "message": 3}
    ]
    assert document["blocked"][0] == {
        "host": "github.com:443",
        "what": "GET github.com:443/a",
        "times": 1,
    }
    assert document["side_requests"] == [
        {"number": 1, "what": "GET /models", "connection": 5, "exchange": None}
    ]
    assert document["notes"] == ["once"]


def test_the_report_for_a_person_says_what_is_not_exact() -> None:
    """One line for the counts, a few for everything worth a look, blocks by their host; nothing
    in it moves the cursor."""
    assert list(full_report().lines()) == [
        "asked 4 times: 1 exact, 1 different, 2 unexpected, 1 not asked, 3 blocked.",
        "  different: #2 (websocket create), recorded as exchange 2, message 0",
        '    model was "one" and is "two"',
        "  unexpected: #3 (websocket create), nearest is exchange 2, message 1",
        '    model was "one" and is "two"',
        '    model was "one" and is "two"',
        '    model was "one" and is "two"',
        "    and 4 more differences",
        "  unexpected: #4 (http create), nothing like it was recorded",
        "  not asked: websocket warm_up, recorded as exchange 9, message 3",
        "  blocked: github.com:443 (2 times), evil\\x1b[2J.example:80 (1 time)",
        "  note: once",
        "  this is shortened: --report FILE writes all of it.",
    ]


def test_what_happened_once_is_said_in_the_singular() -> None:
    """A line that people read is good English."""
    report = Report(requests=[request(1, Verdict.EXACT)])
    assert list(report.lines()) == [
        "asked 1 time: 1 exact, 0 different, 0 unexpected, 0 not asked, 0 blocked."
    ]


def test_a_repeated_request_is_told_as_such() -> None:
    """It differs in nothing from what was recorded; that was used up."""
    report = Report(requests=[request(1, Verdict.UNEXPECTED, 7)])
    assert list(report.lines())[1:] == [
        "  unexpected: #1 (http create), nearest is exchange 7, which is the same"
    ]


def test_a_shortened_value_leads_to_the_file() -> None:
    """A reader who sees less than there is learns where the rest stands; else, nothing."""
    short = request(1, Verdict.DIFFERENT, 1, None, (MODEL,))
    long = request(1, Verdict.DIFFERENT, 1, None, (Difference("a", Change.ADDED, None, "x" * 99),))
    file = Path("r.json")
    assert list(Report(requests=[long]).lines(file))[-1] == (
        "  this is shortened: all of it is in r.json."
    )
    assert not any("shortened" in line for line in Report(requests=[short]).lines(file))


def test_many_findings_do_not_drown_each_other() -> None:
    """Twenty are told and the rest counted."""
    report = Report(
        requests=[request(1, Verdict.UNEXPECTED, None)] * 15,
        not_asked=[NotAsked(Transport.HTTP, RequestKind.CREATE, 1, None)] * 8,
    )
    lines = list(report.lines())
    assert sum(line.startswith("  unexpected") for line in lines) == 15
    assert sum(line.startswith("  not asked") for line in lines) == 5
    assert lines[-2:] == [
        "  and 3 more that are different, unexpected or not asked",
        "  this is shortened: --report FILE writes all of it.",
    ]


def test_many_hosts_are_one_line() -> None:
    """The six that were tried most are named, the rest counted."""
    report = Report()
    for number in range(8):
        report.blocked[Blocked(f"{number}.example:443", "what")] = number + 1
    assert list(report.lines())[1] == (
        "  blocked: 7.example:443 (8 times), 6.example:443 (7 times), 5.example:443 (6 times), "
        "4.example:443 (5 times), 3.example:443 (4 times), 2.example:443 (3 times), 2 more hosts"
    )


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


def test_places_may_have_other_names() -> None:
    """What was put in has none, and nobody owes it a request."""
    report = Report(
        [request(1, Verdict.EXACT, 1), request(2, Verdict.DIFFERENT, 2), request(3, Verdict.EXACT)],
        not_asked=[NotAsked(Transport.HTTP, RequestKind.CREATE, each, None) for each in (2, 3, 4)],
    )
    report.name_places({(1, None): (7, 0), (2, None): None, (3, None): (8, 1)})
    assert [(each.exchange, each.message) for each in report.requests] == [
        (7, 0),
        (None, None),
        (7, 0),
    ]
    assert [(each.exchange, each.message) for each in report.not_asked] == [(8, 1), (4, None)]
    assert "  different: #2 (http create), put in" in list(report.lines())


def test_blocks_are_no_finding() -> None:
    """Clients send metrics all the time; that these go nowhere is as it should be."""
    report = Report()
    report.blocked[Blocked("ab.chatgpt.com:443", "ab.chatgpt.com:443")] += 1
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
    assert not path.exists()
    write_report(path, Path("a.db"), [], 0, {"counts": {}})
    check_report_file(path)


def test_a_report_is_for_its_owner(tmp_path: Path) -> None:
    """It quotes what was said, as a tape does."""
    path = tmp_path / "report.json"
    write_report(path, Path("a.db"), [], 0, {"counts": {}})
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0", b"[]", b'{"tape": "a.db"}'])
def test_nothing_else_is_replaced(tmp_path: Path, content: bytes) -> None:
    """A file that is no report was not meant."""
    path = tmp_path / "precious"
    path.write_bytes(content)
    with pytest.raises(WouldOverwrite, match=f"^{path} exists and is no report of a replay: "):
        check_report_file(path)


def test_a_folder_is_no_file_to_write(tmp_path: Path) -> None:
    """It exists, and is no report."""
    with pytest.raises(WouldOverwrite):
        check_report_file(tmp_path)


def test_a_report_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """What came in between the check and the writing is told like everything else."""
    (tmp_path / "report.json").mkdir()
    with pytest.raises(UsageError, match=r"report\.json cannot be written"):
        write_report(tmp_path / "report.json", Path("a.db"), [], 0, {})
