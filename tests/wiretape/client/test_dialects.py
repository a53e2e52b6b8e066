"""Which dialect a request was made in, and that the table of dialects is whole."""

import pytest

from wiretape.client.dialect import Dialect
from wiretape.client.dialects import DIALECTS, DOCUMENTED, dialect_for, dialect_of, versions_of
from wiretape.facts import Headers

OLD_BETA = ("openai-beta", "responses_websockets=2026-02-04")
NEW_BETA = ("openai-beta", "responses_websockets=2026-02-06")
ORIGINATOR = ("originator", "codex_exec")


@pytest.mark.parametrize(
    ("version", "since"),
    [
        ((0, 10), (0, 99)),
        ((0, 99), (0, 99)),
        ((0, 100), (0, 100)),
        ((0, 104), (0, 100)),
        ((0, 109), (0, 100)),
        ((0, 110), (0, 110)),
        ((0, 139), (0, 110)),
        ((0, 140), (0, 140)),
        ((0, 160), (0, 160)),
        ((0, 168), (0, 160)),
        ((0, 169), (0, 169)),
        ((0, 500), (0, 169)),
        ((1, 0), (0, 169)),
        ((0, 0), (0, 169)),
    ],
)
def test_a_version_speaks_the_newest_dialect_that_is_not_newer(
    version: tuple[int, int], since: tuple[int, int]
) -> None:
    """Dialects hold from their first version to the next; a development build is the newest."""
    assert dialect_of(version).since == since


@pytest.mark.parametrize(
    ("agent", "since"),
    [
        ("codex_exec/0.99.0 (Debian 12.0.0; x86_64) unknown", (0, 99)),
        ("codex_exec/0.169.0 (Debian 12.0.0; x86_64) unknown (codex_exec; 0.169.0)", (0, 169)),
        ("codex_cli_rs/0.104.0 (Mac OS 26.1.0; arm64) Apple_Terminal/466", (0, 100)),
        ("codex-tui/0.142.5 (Windows 10.0.26100; x86_64) WindowsTerminal", (0, 140)),
        ("Codex_Desktop/0.165.1", (0, 160)),
        ("Codex Desktop/0.165.1 (Mac OS 26.1.0; arm64) unknown", (0, 160)),
    ],
)
def test_the_user_agent_says_the_dialect(agent: str, since: tuple[int, int]) -> None:
    """The first product of the user agent is a Codex, with its version."""
    found = dialect_for((("User-Agent", agent),))
    assert found is not None
    assert found.since == since


@pytest.mark.parametrize("agent", ["zed/0.169.0 (Debian 12.0.0; x86_64) unknown", "zed/0.169.0"])
@pytest.mark.parametrize(
    "mark", [("x-codex-turn-metadata", "{}"), ("X-Codex-Window-Id", "0199a:0")]
)
def test_a_codex_in_an_editor_is_known_by_its_own_headers(
    agent: str, mark: tuple[str, str]
) -> None:
    """The editor's name stands in the Codex's place, and its version is the Codex's."""
    found = dialect_for((("user-agent", agent), ("originator", "zed"), mark))
    assert found is not None
    assert found.since == (0, 169)


@pytest.mark.parametrize(
    ("headers", "since"),
    [
        ((OLD_BETA,), (0, 99)),
        ((ORIGINATOR, OLD_BETA), (0, 100)),
        ((ORIGINATOR, NEW_BETA), (0, 110)),
    ],
)
def test_an_upgrade_without_a_user_agent_says_it_otherwise(
    headers: Headers, since: tuple[int, int]
) -> None:
    """Early upgrades are told by the WebSocket wire they ask for and by their originator."""
    found = dialect_for(headers)
    assert found is not None
    assert found.since == since


@pytest.mark.parametrize(
    "headers",
    [
        (),
        (ORIGINATOR,),
        (("user-agent", "OpenAI/Python 2.0.0"),),
        (("user-agent", "notcodex_exec/0.99.0"),),
        (("user-agent", "codex_exec"),),
        (("user-agent", f"codex_exec/{'9' * 5000}.0"),),
        (("user-agent", "zed/0.169.0"), ("originator", "zed")),
        (("user-agent", "zed/0.169.0"), ("x-codex-turn-metadata", "{}")),
        (("user-agent", "proxy/0.9.0"), ("originator", "zed"), ("x-codex-turn-metadata", "{}")),
        (("openai-beta", "assistants=v2"),),
    ],
)
def test_another_client_has_no_dialect(headers: Headers) -> None:
    """What is no Codex is not taken for one."""
    assert dialect_for(headers) is None


def test_the_dialects_stand_in_the_order_of_their_versions() -> None:
    """The documented one is the first, and each begins after the one before."""
    versions = [dialect.since for dialect in DIALECTS]
    assert DIALECTS[0] is DOCUMENTED
    assert versions == sorted(set(versions))


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.seen_with[0])
def test_each_dialect_was_seen_with_its_first_version(dialect: Dialect) -> None:
    """A dialect begins with a version that was run."""
    major, minor = dialect.since
    assert dialect.seen_with[0] == f"{major}.{minor}.0"


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.seen_with[0])
def test_each_dialect_knows_every_incomplete_reason(dialect: Dialect) -> None:
    """The table of reasons has an entry for all that it does not name."""
    assert "" in dialect.incomplete


def test_the_versions_of_a_dialect() -> None:
    """From its first to the one before the next dialect."""
    assert [versions_of(each) for each in DIALECTS] == [
        "0.99",
        "0.100-0.109",
        "0.110-0.139",
        "0.140-0.159",
        "0.160-0.168",
        "0.169",
    ]
