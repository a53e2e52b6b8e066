"""What the wrapped command finds in its environment, so that its traffic comes our way."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

_PROXY_VARIABLES: Final = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_CA_VARIABLES: Final = (
    "SSL_CERT_FILE",
    "CODEX_CA_CERTIFICATE",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "PIP_CERT",
    "NODE_EXTRA_CA_CERTS",
)


def child_environment(
    environment: Mapping[str, str], proxy_url: str, ca_bundle: Path
) -> dict[str, str]:
    """``environment`` with our proxy and a bundle of certificate authorities that holds ours.

    Exceptions to the proxy are removed: a client that talks to loopback would pass us by.
    """
    child = {name: value for name, value in environment.items() if name.lower() != "no_proxy"}
    for name in _PROXY_VARIABLES:
        child[name] = child[name.lower()] = proxy_url
    for name in _CA_VARIABLES:
        child[name] = str(ca_bundle)
    # Node heeds the proxy variables only when asked to.
    child["NODE_USE_ENV_PROXY"] = "1"
    return child
