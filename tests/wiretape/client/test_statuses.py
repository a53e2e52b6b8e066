"""What the client makes of a status that is no success, in its own words."""

import base64
import json

import pytest

from wiretape.client.dialects import DOCUMENTED, dialect_of
from wiretape.client.failures import Failure, FailureKind
from wiretape.client.statuses import refusal
from wiretape.client.wire import Refused
from wiretape.facts import Headers

URL = "http://localhost/v1/responses"
V100, V140, V160, V169 = map(dialect_of, [(0, 100), (0, 140), (0, 160), (0, 169)])
BAD = '{"error":{"message":" bad thing ","type":"t"}}'
OLD = "We're currently experiencing high demand, which may cause temporary errors."
NEW = "We’re currently experiencing high demand, which may cause temporary errors."
AT_CAPACITY = "Selected model is at capacity. Please try a different model."
QUOTA = "Quota exceeded. Check your plan and billing details."


def error(**fields: object) -> str:
    """A body with this error."""
    return json.dumps({"error": fields})


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        (401, "Unauthorized"),
        (403, "Forbidden"),
        (404, "Not Found"),
        (408, "Request Timeout"),
        (413, "Payload Too Large"),
        (414, "URI Too Long"),
        (416, "Range Not Satisfiable"),
        (418, "I'm a teapot"),
        (422, "Unprocessable Entity"),
        (426, "Upgrade Required"),
        (499, "<unknown status code>"),
        (502, "Bad Gateway"),
        (503, "Service Unavailable"),
        (520, "<unknown status code>"),
        (303, "See Other"),
    ],
)
def test_an_unexpected_status_may_be_retried(status: int, phrase: str) -> None:
    """Most statuses are unexpected: named with phrase, message and address, and retried."""
    failure = refusal(Refused(status, (), BAD), URL, DOCUMENTED)
    assert failure == Failure(
        FailureKind.STATUS, f"unexpected status {status} {phrase}: bad thing, url: {URL}"
    )
    assert failure.may_be_retried


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("", "Unknown error"),
        ("  \n", "Unknown error"),
        (" not here\n", "not here"),
        ('{"error":{"message":"  "}}', '{"error":{"message":"  "}}'),
        ('{"error":"text"}', '{"error":"text"}'),
        ('{"detail":"text"}', '{"detail":"text"}'),
        ("x" * 1000, "x" * 1000),
        ("x" * 1001, "x" * 1000 + "..."),
        ("x" * 999 + "é!", "x" * 999 + "..."),
    ],
)
def test_a_body_without_a_message_is_shown_itself(body: str, shown: str) -> None:
    """The trimmed body is shown up to 1,000 bytes, never cutting a character."""
    failure = refusal(Refused(404, (), body), None, DOCUMENTED)
    assert failure.text == f"unexpected status 404 Not Found: {shown}"


@pytest.mark.parametrize(
    ("headers", "clues"),
    [
        ((("x-request-id", "q1"),), ", request id: q1"),
        ((("x-oai-request-id", "q2"),), ", request id: q2"),
        ((("x-request-id", "q1"), ("x-oai-request-id", "q2")), ", request id: q1"),
        ((("cf-ray", "r1"), ("x-request-id", "q1")), ", cf-ray: r1, request id: q1"),
        ((("x-openai-authorization-error", "a1"),), ""),
    ],
)
def test_an_unexpected_status_names_what_identifies_it(headers: Headers, clues: str) -> None:
    """Address, cf-ray and request id follow the message, as far as there are any."""
    failure = refusal(Refused(404, headers, BAD), URL, DOCUMENTED)
    assert failure.text == f"unexpected status 404 Not Found: bad thing, url: {URL}{clues}"


def test_from_0_140_an_authorization_error_is_named() -> None:
    """The authorization error follows, and the code in ``x-error-json``."""
    code = base64.b64encode(error(code="c1").encode()).decode()
    headers = (("x-openai-authorization-error", "a1"), ("x-error-json", code))
    assert refusal(Refused(401, headers, BAD), None, V140).text == (
        "unexpected status 401 Unauthorized: bad thing, auth error: a1, auth error code: c1"
    )


@pytest.mark.parametrize("code", ["", "not base64", "/w==", "e30="])
def test_an_authorization_error_that_cannot_be_read_is_not_named(code: str) -> None:
    """An ``x-error-json`` that holds no code says nothing."""
    failure = refusal(Refused(401, (("x-error-json", code),), BAD), None, V140)
    assert failure.text == "unexpected status 401 Unauthorized: bad thing"


def test_a_page_of_cloudflare_has_words_of_its_own() -> None:
    """A 403 that says Cloudflare blocked it is explained."""
    page = "<html>Cloudflare has blocked you</html>"
    failure = refusal(Refused(403, (("cf-ray", "r1"),), page), URL, DOCUMENTED)
    assert failure.text == (
        "Access blocked by Cloudflare. This usually happens when connecting from a restricted "
        f"region (status 403 Forbidden), url: {URL}, cf-ray: r1"
    )
    assert refusal(Refused(404, (), page), None, DOCUMENTED).text.startswith("unexpected status")


@pytest.mark.parametrize("body", [BAD, "", "text"])
def test_a_bad_request_is_its_body_and_final(body: str) -> None:
    """A 400 is said as it came, and not tried again."""
    failure = refusal(Refused(400, (), body), URL, DOCUMENTED)
    assert failure == Failure(FailureKind.INVALID_REQUEST, body)
    assert not failure.may_be_retried


def test_a_bad_image_is_final() -> None:
    """A 400 about an image is explained."""
    body = error(message="The image data you provided does not represent a valid image")
    failure = refusal(Refused(400, (), body), URL, DOCUMENTED)
    assert failure.text == "Invalid image in your last message. Please remove it and try again."
    assert not failure.may_be_retried


@pytest.mark.parametrize(("dialect", "text"), [(DOCUMENTED, OLD), (V140, OLD), (V160, NEW)])
def test_a_500_may_be_retried(dialect: object, text: str) -> None:
    """A 500 has the same words whatever its body; the apostrophe tells the age of the client."""
    failure = refusal(Refused(500, (), BAD), URL, dialect)
    assert failure == Failure(FailureKind.SERVER_ERROR, text)
    assert failure.may_be_retried


@pytest.mark.parametrize(
    ("headers", "clue"),
    [
        ((), ""),
        ((("x-request-id", "q1"), ("cf-ray", "r1")), ", request id: q1"),
        ((("cf-ray", "r1"),), ", request id: r1"),
    ],
)
def test_a_429_is_final(headers: Headers, clue: str) -> None:
    """A 429 is called an exceeded limit, with the request id or the cf-ray."""
    failure = refusal(Refused(429, headers, BAD), URL, DOCUMENTED)
    text = f"exceeded retry limit, last status: 429 Too Many Requests{clue}"
    assert failure == Failure(FailureKind.RETRY_LIMIT, text)
    assert not failure.may_be_retried


@pytest.mark.parametrize(
    ("plan", "rest"),
    [
        (
            "plus",
            " Upgrade to Pro (https://chatgpt.com/explore/pro), visit "
            "https://chatgpt.com/codex/settings/usage to purchase more credits or try again later.",
        ),
        (
            "pro",
            " Visit https://chatgpt.com/codex/settings/usage to purchase more credits "
            "or try again later.",
        ),
        ("team", " To get more access now, send a request to your admin or try again later."),
        ("business", " To get more access now, send a request to your admin or try again later."),
        (
            "free",
            " Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), "
            "or try again later.",
        ),
        (
            "go",
            " Upgrade to Plus to continue using Codex (https://chatgpt.com/explore/plus), "
            "or try again later.",
        ),
        ("enterprise", " Try again later."),
        (None, " Try again later."),
    ],
)
def test_a_usage_limit_depends_on_the_plan(plan: str | None, rest: str) -> None:
    """A used-up plan is final, with advice for each plan."""
    body = error(type="usage_limit_reached", plan_type=plan)
    failure = refusal(Refused(429, (), body), URL, DOCUMENTED)
    assert failure == Failure(FailureKind.USAGE_LIMIT, f"You've hit your usage limit.{rest}")
    assert not failure.may_be_retried


def test_a_promotion_takes_the_place_of_the_advice() -> None:
    """``x-codex-promo-message`` is said instead."""
    body = error(type="usage_limit_reached", plan_type="plus")
    headers = (("x-codex-promo-message", " Try Pro "),)
    assert refusal(Refused(429, headers, body), URL, DOCUMENTED).text == (
        "You've hit your usage limit. Try Pro, or try again later."
    )


def test_today_the_usage_page_is_elsewhere() -> None:
    """0.169 sends people to another page, with another apostrophe."""
    body = error(type="usage_limit_reached", plan_type="pro")
    assert refusal(Refused(429, (), body), URL, V169).text == (
        "You’ve hit your usage limit. Visit https://chatgpt.com/settings/usage "
        "to purchase more credits or try again later."
    )


def test_a_plan_without_codex_is_final() -> None:
    """A 429 for an account whose plan has no Codex is explained."""
    failure = refusal(Refused(429, (), error(type="usage_not_included")), URL, DOCUMENTED)
    assert failure.text == (
        "To use Codex with your ChatGPT plan, upgrade to Plus: https://chatgpt.com/explore/plus."
    )
    assert not failure.may_be_retried


@pytest.mark.parametrize(
    ("seconds", "again"),
    [
        ("59", "in less than a minute"),
        ("60", "in 1m"),
        ("7199", "in 1h"),
        ("86400", "in 1d"),
        ("soon", "later"),
        (None, "later"),
    ],
)
def test_the_documented_client_knows_a_model_at_capacity(seconds: str | None, again: str) -> None:
    """A 429 with the model's name in a header is explained by 0.99, and by no later client."""
    headers = (("x-codex-model-cap-model", "boomslang"),)
    if seconds is not None:
        headers = (*headers, ("x-codex-model-cap-reset-after-seconds", seconds))
    failure = refusal(Refused(429, headers), URL, DOCUMENTED)
    assert failure.text == (
        f"Model boomslang is at capacity. Please try a different model. Try again {again}."
    )
    assert not failure.may_be_retried
    assert refusal(Refused(429, headers), URL, V100).kind is FailureKind.RETRY_LIMIT


@pytest.mark.parametrize(
    ("dialect", "status", "fields", "text", "may_be_retried"),
    [
        (V100, 503, {"code": "server_is_overloaded"}, AT_CAPACITY, False),
        (V100, 503, {"code": "slow_down"}, AT_CAPACITY, False),
        (V140, 400, {"code": "cyber_policy", "message": "told"}, "told", False),
        (V160, 503, {"code": "server_is_overloaded"}, AT_CAPACITY, False),
        (V160, 503, {"code": "slow_down", "message": "m"}, "rate limit exceeded: m", True),
        (V160, 503, {"code": "slow_down"}, "rate limit exceeded: ", True),
        (V160, 400, {"code": "invalid_prompt"}, "Invalid request.", False),
        (V160, 400, {"code": "invalid_prompt", "message": "told"}, "told", False),
        (
            V160,
            400,
            {"code": "bio_policy", "message": " "},
            "This content was flagged for possible biological risk.",
            False,
        ),
        (V160, 403, {"code": "misalignment_policy_violation", "message": "m"}, "m", False),
        (V160, 429, {"type": "insufficient_quota"}, QUOTA, False),
        (V160, 429, {"code": "credit_balance_exhausted"}, QUOTA, False),
        (V160, 429, {"code": "organization_usage_limit_exceeded"}, QUOTA, False),
    ],
)
def test_later_clients_read_more_from_the_body(
    dialect: object, status: int, fields: dict[str, str], text: str, may_be_retried: bool
) -> None:
    """Each dialect's table gives some bodies words of their own, which 0.99 does not know."""
    refused = Refused(status, (), error(**fields))
    failure = refusal(refused, URL, dialect)
    assert (failure.text, failure.may_be_retried) == (text, may_be_retried)
    assert refusal(refused, URL, DOCUMENTED).text != text


@pytest.mark.parametrize(
    ("dialect", "status", "delay_ms"),
    [
        (DOCUMENTED, 500, None),
        (V140, 503, None),
        (V160, 500, 2000),
        (V160, 503, 2000),
        (V160, 404, 2000),
        (V160, 429, None),
        (V169, 500, 2000),
        (V169, 429, 2000),
    ],
)
def test_later_clients_heed_retry_after(dialect: object, status: int, delay_ms: int | None) -> None:
    """From 0.160 the header sets the delay, in 0.169 of a 429 too."""
    failure = refusal(Refused(status, (("retry-after", "2"),)), URL, dialect)
    assert failure.requested_delay_ms == delay_ms
    assert failure.may_be_retried == (status != 429 or dialect is V169)
