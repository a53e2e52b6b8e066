"""Every link of every page, followed: each leads to an answer."""

import html
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import pytest
import troubled_tapes
from declared import REPOSITORY
from flask.testing import FlaskClient
from timed_tapes import TapeMaker, ask, completed, created, delta, session

type Browse = Callable[..., FlaskClient]

SAMPLES = sorted((REPOSITORY / "recordings" / "samples").glob("*/tape.db"))
TROUBLES = (
    troubled_tapes.busy_twice,
    troubled_tapes.chat_cut,
    troubled_tapes.cut_on_both,
    troubled_tapes.dead_socket,
    troubled_tapes.error_over_sse,
    troubled_tapes.gap,
    troubled_tapes.hung_up_at_once,
    troubled_tapes.interrupted,
    troubled_tapes.late_failure,
    troubled_tapes.refused_with_a_sentence,
    troubled_tapes.silent_with_pings,
    troubled_tapes.unanswered,
    troubled_tapes.unreadable,
)
LEAST, MOST = 20, 2000
MORE_OF_THE_SAME = frozenset({"at", "from", "to", "list", "open", "shut", "speed"})
"""Other views of a page, of which there are more than anybody follows."""


def upgrade_refused(maker: TapeMaker) -> None:
    """A handshake that is refused with a body, then HTTP: an error, an answer, a sub-agent's."""
    maker.upgrade(0, session("s1")).refuse(5, 426, "use HTTP")
    maker.post(20, ask("hi"), session("s1")).refuse(25, 500, {"error": {"message": "no"}})
    maker.post(230, ask("hi"), session("s1")).answer(240, created(), delta("Yes."), completed())
    headers = (*session("s2"), ("x-codex-parent-thread-id", "s1"))
    maker.post(300, ask("look at it"), headers).answer(310, created(), completed())


def failing(client: FlaskClient) -> dict[str, int]:
    """The addresses that no page answers with what it promised, from the list of sessions on."""
    todo, seen, failed = ["/sessions"], {"/sessions"}, {}
    while todo:
        address = todo.pop()
        with client.get(address) as answer:
            if answer.status_code not in (200, 302):
                failed[address] = answer.status_code
            elif answer.mimetype == "text/html":
                new = set(links(address, answer.text)) - seen
                seen |= new
                todo += sorted(new)
        assert len(seen) < MOST, f"pages without end: {address}"
    assert len(seen) > LEAST
    return failed


def links(address: str, page: str) -> Iterator[str]:
    """Where a page leads to, each view of another page once."""
    for link in re.findall(r'href="([^"]*)"', page):
        target = urlsplit(urljoin(address, html.unescape(link)))
        assert not target.netloc, f"{address} leads to {link}"
        query = {
            name: value for name, value in parse_qsl(target.query) if name not in MORE_OF_THE_SAME
        }
        yield f"{target.path}?{urlencode(query)}" if query else target.path


@pytest.mark.parametrize("trouble", [*TROUBLES, upgrade_refused], ids=lambda each: each.__name__)
def test_no_link_of_a_troubled_tape_fails(
    folder: Path, browse: Browse, trouble: Callable[[TapeMaker], None]
) -> None:
    """Whatever went wrong, each page leads to pages."""
    maker = TapeMaker(folder / "trouble.db")
    trouble(maker)
    maker.write()
    assert failing(browse()) == {}


@pytest.mark.parametrize("tape", SAMPLES, ids=lambda tape: tape.parent.name)
def test_no_link_of_a_sample_fails(folder: Path, browse: Browse, tape: Path) -> None:
    """Nor on tapes that a real client made."""
    shutil.copy2(tape, folder / "sample.db")
    assert failing(browse()) == {}
