"""What the wrapped command finds in its environment."""

from pathlib import Path

from gateway.environment import child_environment, shell_lines

PROXY = "http://127.0.0.1:4000"
BUNDLE = Path("/tmp/bundle.pem")


def test_an_empty_environment() -> None:
    """The proxy in both cases, and the bundle under the names that clients know."""
    assert child_environment({}, PROXY, BUNDLE) == {
        "HTTPS_PROXY": PROXY,
        "https_proxy": PROXY,
        "HTTP_PROXY": PROXY,
        "http_proxy": PROXY,
        "ALL_PROXY": PROXY,
        "all_proxy": PROXY,
        "SSL_CERT_FILE": str(BUNDLE),
        "CODEX_CA_CERTIFICATE": str(BUNDLE),
        "REQUESTS_CA_BUNDLE": str(BUNDLE),
        "NODE_EXTRA_CA_CERTS": str(BUNDLE),
        "PIP_PROXY": PROXY,
        "NODE_USE_ENV_PROXY": "1",
    }


def test_what_was_there_stays_or_is_replaced() -> None:
    """Exceptions to the proxy go, in any case; a proxy or a bundle of the user's is ours now."""
    environment = {
        "PATH": "/bin",
        "NO_PROXY": "localhost",
        "no_proxy": "127.0.0.1",
        "No_Proxy": "x",
        "https_proxy": "http://corp:3128",
        "SSL_CERT_FILE": "/corp.pem",
        "CURL_CA_BUNDLE": "/corp.pem",
    }
    child = child_environment(environment, PROXY, BUNDLE)
    assert child["PATH"] == "/bin"
    assert [name for name in child if name.lower() == "no_proxy"] == []
    assert child["https_proxy"] == PROXY
    assert child["SSL_CERT_FILE"] == child["CURL_CA_BUNDLE"] == str(BUNDLE)


def test_tools_that_do_not_talk_to_models_keep_their_settings() -> None:
    """A company's authority, configured for git or pip, is not overruled."""
    mine = {"GIT_SSL_CAINFO": "/corp.pem", "PIP_CERT": "/corp.pem", "PIP_PROXY": "http://corp:1"}
    child = child_environment(mine, PROXY, BUNDLE)
    assert {name: child[name] for name in mine} == mine
    assert "CURL_CA_BUNDLE" not in child


def test_a_shell_is_told_the_same() -> None:
    """In lines that can be pasted; what it has already is left out."""
    environment = {"PATH": "/bin", "NODE_USE_ENV_PROXY": "1", "no_proxy": "x"}
    lines = list(shell_lines(environment, PROXY, Path("/tmp/a b.pem")))
    assert lines[:2] == ["unset NO_PROXY no_proxy", f"export HTTPS_PROXY={PROXY}"]
    assert "export SSL_CERT_FILE='/tmp/a b.pem'" in lines
    named = [line.removeprefix("export ").partition("=")[0] for line in lines[1:]]
    assert {*named, "PATH", "NODE_USE_ENV_PROXY"} == set(
        child_environment(environment, PROXY, BUNDLE)
    )
