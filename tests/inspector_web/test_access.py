"""Who may look."""

import pytest

from inspector_web.access import Access, Refusal, holds_token, only_this_machine_reaches, refusal

LOOPBACK = Access("127.0.0.1", None)
OPEN = Access("0.0.0.0", "secret-token")
NAMED = Access("build.example", "secret-token")
PRINTED = Access("0.0.0.0", "secret-token", ("10.0.0.1", "workshop", "127.0.0.1"))


def status(access: Access, headers: dict[str, str], cookie: str | None = None) -> int:
    found = refusal(access, headers, cookie)
    return 200 if found is None else found.status


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1:8080", 200),
        ("127.0.0.1", 200),
        ("localhost:9999", 200),
        ("LOCALHOST", 200),
        ("[::1]:8080", 200),
        ("127.8.8.8:1", 200),
        ("", 403),
        ("evil.example", 403),
        ("127.0.0.1.evil.example:8080", 403),
        ("localhost.evil.example", 403),
        ("10.0.0.1:8080", 403),
        ("0.0.0.0:8080", 403),
    ],
)
def test_loopback_answers_to_its_own_names(host: str, answer: int) -> None:
    """No name that somebody else may lead here; the port may be a forwarded one."""
    assert status(LOOPBACK, {"Host": host}) == answer


@pytest.mark.parametrize(
    ("access", "host", "answer"),
    [
        (OPEN, "10.0.0.1:8080", 200),
        (OPEN, "[fd00::1]:8080", 200),
        (OPEN, "evil.example", 403),
        (NAMED, "build.example:8080", 200),
        (PRINTED, "workshop:8080", 200),
        (PRINTED, "WORKSHOP", 200),
        (PRINTED, "workshop.evil.example", 403),
        (NAMED, "other.example:8080", 403),
    ],
)
def test_another_address_answers_to_numbers_and_its_name(
    access: Access, host: str, answer: int
) -> None:
    """A number cannot be led elsewhere; a name is the one listened on, or one that was printed."""
    assert status(access, {"Host": host}, "secret-token") == answer


@pytest.mark.parametrize(
    ("headers", "answer"),
    [
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "anything"}, 403),
        ({"Origin": "http://localhost:8080"}, 200),
        ({"Origin": "http://localhost:9090"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_other_sites_are_refused(headers: dict[str, str], answer: int) -> None:
    """A page of another site gets nothing through the person's browser."""
    assert status(LOOPBACK, {"Host": "localhost:8080"} | headers) == answer


@pytest.mark.parametrize("cookie", [None, "", "wrong", "secret-token ", "sécret"])
def test_a_wrong_token_is_refused(cookie: str | None) -> None:
    """With what to do about it."""
    assert refusal(OPEN, {"Host": "10.0.0.1"}, cookie) == Refusal(
        401, "this inspector needs its token: open the address that `wiretape inspect` printed."
    )


def test_the_token_lets_in() -> None:
    """And where none is needed, anything does."""
    assert refusal(OPEN, {"Host": "10.0.0.1"}, "secret-token") is None
    assert holds_token(LOOPBACK, None)


def test_two_inspectors_keep_their_tokens_apart() -> None:
    """Cookies know no ports, so the name depends on the token."""
    assert OPEN.cookie == Access("::", "secret-token").cookie
    assert OPEN.cookie != Access("0.0.0.0", "another").cookie


@pytest.mark.parametrize(
    ("host", "answer"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.example", False),
        ("", False),
    ],
)
def test_what_only_this_machine_reaches(host: str, answer: bool) -> None:
    """Anything else needs a token."""
    assert only_this_machine_reaches(host) is answer
