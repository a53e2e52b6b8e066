"""Secrets: removed whole wherever they can stand, and nothing else is."""

import pytest

from wiretape.redact import (
    is_secret_header,
    redact_command,
    redact_headers,
    redact_text,
)

SECRET_HEADERS = [
    "Authorization",
    "Proxy-Authorization",
    "WWW-Authenticate",
    "Cookie",
    "set-cookie",
    "x-api-key",
    "api-key",
    "Ocp-Apim-Subscription-Key",
    "X-Goog-Api-Key",
    "X-Auth-Token",
    "X-CSRFToken",
    "x-amz-security-token",
    "Cf-Access-Jwt-Assertion",
    "CF-Access-Client-Secret",
    "OpenAI-Organization",
    "openai-project",
    "ChatGPT-Account-ID",
    "chatgpt_account_id",
    "X-Tenant-Id",
    "X-Forwarded-User",
    "x-oai-attestation",
    "X-Api-Keys",
    "XApiKey",
    "accountid",
    "x-openai-organizationid",
    "X-User-Ids",
    "userid",
    "x-oauth-basic",
    "X-OAuth2-Token",
    "x-otp",
    "X-TOTP",
    "x-pin",
    "X-Session",
    "X-Session-Token",
    "x-sessionkey",
    "X-Access-Tokens",
    "x-authn-user",
    "x-csrftoken",
]
KEPT_HEADERS = [
    "content-type",
    "user-agent",
    "originator",
    "session_id",
    "session-id",
    "thread-id",
    "x-client-request-id",
    "x-request-id",
    "x-codex-turn-state",
    "x-codex-turn-metadata",
    "x-codex-window-id",
    "x-session-id",
    "x-session-affinity",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-tokens",
    "openai-beta",
    "openai-processing-ms",
    "sec-websocket-key",
    "sec-websocket-accept",
    "sec-websocket-extensions",
    "idempotency-key",
    "access-control-allow-credentials",
    "x-ms-error-code",
    "retry-after",
]


@pytest.mark.parametrize("name", SECRET_HEADERS)
def test_a_secret_header_is_replaced_whole(name: str) -> None:
    """Of its value nothing stays; the placeholder says what was there."""
    assert redact_headers(((name, "s3cr3t-value"),)) == ((name, f"[removed: {name.lower()}]"),)
    assert is_secret_header(name)


@pytest.mark.parametrize("name", KEPT_HEADERS)
def test_other_headers_stay(name: str) -> None:
    """What a replay or a diagnosis needs is no secret."""
    assert redact_headers(((name, "value 1; a=b"),)) == ((name, "value 1; a=b"),)


def test_order_case_and_repetition_stay() -> None:
    """Only values are touched."""
    headers = (("Cookie", "a=1"), ("X-A", "1"), ("cookie", "b=2"), ("x-a", "2"))
    assert redact_headers(headers) == (
        ("Cookie", "[removed: cookie]"),
        ("X-A", "1"),
        ("cookie", "[removed: cookie]"),
        ("x-a", "2"),
    )


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ("sk-proj-Abc123Abc123Abc123", "[removed]"),
        (
            "realtime, openai-insecure-api-key.Abc123, v1",
            "realtime, openai-insecure-api-key.[removed], v1",
        ),
        ("https://me:s3cr3t@gateway.example/v1", "https://[removed]@gateway.example/v1"),
        (
            "<https://a.example/?cursor=2&access_token=s3cr3t>; rel=next",
            "<https://a.example/?cursor=2&access_token=removed>; rel=next",
        ),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[removed]"),
        ("ghp_abcdefghij0123456789", "[removed]"),
        ("AKIAIOSFODNN7EXAMPLE", "[removed]"),
        ("a proxy said Basic bWU6czNjcjN0", "a proxy said [removed]"),
        ("codex_cli_rs/0.99.0 (Debian; x86_64) xterm-256color", None),
        ("permessage-deflate; client_max_window_bits=15", None),
        ('{"session_id":"0199","turn_id":"7","sandbox":"none"}', None),
    ],
)
def test_secrets_by_their_shape(value: str, kept: str | None) -> None:
    """Under any name: keys of known kinds, tokens in URLs, passwords before a host."""
    assert redact_headers((("x-whatever", value),)) == (("x-whatever", kept or value),)


@pytest.mark.parametrize(
    ("target", "kept"),
    [
        ("/v1/responses", None),
        ("/v1/models?client_version=0.99.0&limit=2", None),
        (
            "/openai/responses?api-version=2025-04-01&api-key=s3cr3t",
            "/openai/responses?api-version=2025-04-01&api-key=removed",
        ),
        ("/v1/responses?key=s3cr3t&key=again&x=1", "/v1/responses?key=removed&key=removed&x=1"),
        ("/v1?access%5Ftoken=s3cr3t", "/v1?access%5Ftoken=removed"),
        (
            "/v1?X-Amz-Credential=AK&X-Amz-Signature=s3cr3t&X-Amz-Date=1",
            "/v1?X-Amz-Credential=removed&X-Amz-Signature=removed&X-Amz-Date=1",
        ),
        ("/cb?code=s3cr3t&account_id=acc_1", "/cb?code=removed&account_id=removed"),
        ("/v1?a=1;token=s3cr3t", "/v1?a=1;token=removed"),
        ("/v1/sk-proj-Abc123Abc123/responses", "/v1/[removed]/responses"),
        ("http://me:s3cr3t@127.0.0.1:8080/v1", "http://[removed]@127.0.0.1:8080/v1"),
        ("/v1?session=s3cr3t&sid=s3cr3t", "/v1?session=removed&sid=removed"),
        ("/v1?session_id=0199&thread=7", None),
        ("/cb#access_token=s3cr3t&state=1", "/cb#access_token=removed&state=1"),
        ("/v1?token", None),
        ("/v1?token=", None),
    ],
)
def test_secrets_in_a_target(target: str, kept: str | None) -> None:
    """Values of secret parameters go; names, order and everything else stay."""
    assert redact_text(target) == (kept or target)


@pytest.mark.parametrize(
    ("command", "kept"),
    [
        (["codex", "exec", "--skip-git-repo-check", "--json", "say hello"], None),
        (["codex", "-c", "model_reasoning_effort=high", "-m", "gpt-5.2-codex"], None),
        (["codex", "exec", "Explain the key: value store, project: wiretape"], None),
        (
            ["client", "--api-key", "s3cr3t", "--port", "80"],
            ["client", "--api-key", "[removed]", "--port", "80"],
        ),
        (["client", "--api-key=s3cr3t"], ["client", "--api-key=[removed]"]),
        (["env", "OPENAI_API_KEY=s3cr3t", "codex"], ["env", "OPENAI_API_KEY=[removed]", "codex"]),
        (
            ["sh", "-c", "export A=1; OPENAI_API_KEY=s3cr3t codex exec hi"],
            ["sh", "-c", "export A=1; OPENAI_API_KEY=[removed] codex exec hi"],
        ),
        (["sh", "-c", "TOKEN='a b s3cr3t' run"], ["sh", "-c", "TOKEN=[removed] run"]),
        (
            ["curl", "-H", "Authorization: Bearer s3cr3t"],
            ["curl", "-H", "Authorization: [removed]"],
        ),
        (
            ["curl", "-HX-Api-Key:s3cr3t", "-u", "me:s3cr3t"],
            ["curl", "-HX-Api-Key:[removed]", "-u", "[removed]"],
        ),
        (
            ["sh", "-c", "curl -H 'Cookie: a=s3cr3t; b=s3cr3t' http://x"],
            ["sh", "-c", "curl -H 'Cookie: [removed]' http://x"],
        ),
        (
            ["codex", "-c", 'p.http_headers={Authorization="Bearer s3cr3t", x="1"}'],
            ["codex", "-c", 'p.http_headers={Authorization=[removed], x="1"}'],
        ),
        (
            ["codex", "-c", 'model_providers.a.experimental_bearer_token = "s3cr3t"'],
            ["codex", "-c", "model_providers.a.experimental_bearer_token = [removed]"],
        ),
        (["x", '{"apiKey": "s3cr3t", "model": "m"}'], ["x", '{"apiKey": [removed], "model": "m"}']),
        (
            ["git", "clone", "https://me:s3cr3t@example.org/x.git"],
            ["git", "clone", "https://[removed]@example.org/x.git"],
        ),
        (
            ["x", "https://example.org/?sig=s3cr3t&n=1"],
            ["x", "https://example.org/?sig=[removed]&n=1"],
        ),
        (["x", "use sk-proj-s3cr3ts3cr3t now"], ["x", "use [removed] now"]),
        (["curl", "-ume:s3cr3t", "http://x"], ["curl", "-u[removed]", "http://x"]),
        (["curl", "--user=me:s3cr3t"], ["curl", "--user=[removed]"]),
        (
            ["sh", "-c", "curl -u 'me:s3cr3t' -U x http://x:80/"],
            ["sh", "-c", "curl -u '[removed]' -U x http://x:80/"],
        ),
        (["python", "-u", "run.py"], None),
        (["run", "--with", "--secret s3cr3t -v"], ["run", "--with", "--secret [removed] -v"]),
        (
            ["sh", "-c", "login --password 's3 cr3t' && go"],
            ["sh", "-c", "login --password [removed] && go"],
        ),
        (["env", "FOO_TOKEN=s3cr3t and s3cr3t", "x"], ["env", "FOO_TOKEN=[removed]", "x"]),
        (["docker", "-eFOO_TOKEN=s3cr3t"], ["docker", "-eFOO_TOKEN=[removed]"]),
        (["curl", "-HAuthorization: Basic s3cr3t"], ["curl", "-HAuthorization: [removed]"]),
        (["curl", "-H", "X-Session: s3cr3t"], ["curl", "-H", "X-Session: [removed]"]),
        (["wiretape", "replay", "t.db", "--session", "0199"], None),
        (["codex", "resume", "0199", "-c", "model_max_output_tokens=100"], None),
        (["x", "--openai-organization", "org-s3cr3t"], ["x", "--openai-organization", "[removed]"]),
    ],
)
def test_secrets_on_the_command_line(command: list[str], kept: list[str] | None) -> None:
    """Options, assignments, headers, settings and URLs, inside a shell's script too."""
    assert redact_command(command) == (kept or command)


def test_text_without_secrets_stays() -> None:
    """Prose is not mistaken for a credential."""
    text = "the task-force asked: is basic auth or a bearer token key here? (a@b.example)"
    assert redact_text(text) == text
