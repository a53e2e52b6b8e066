"""What the wrapped command finds in its environment, so that its traffic comes our way."""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

_PROXY_VARIABLES: Final = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY")
_CA_VARIABLES: Final = (
    "SSL_CERT_FILE",
    "CODEX_CA_CERTIFICATE",
    "REQUESTS_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
)
_CA_VARIABLES_WHERE_SET: Final = ("CURL_CA_BUNDLE",)
"""They would win over the others. Where they are not set, a tool's own settings must not lose to
us: we do not open what git or pip talk to."""

CA_VARIABLES: Final = (*_CA_VARIABLES, *_CA_VARIABLES_WHERE_SET, "PIP_CERT")
"""Variables whose authorities the child goes on trusting. The last is not replaced."""

_PIP_PROXY: Final = "PIP_PROXY"
"""A pip that is given its proxy by name looks no further in its environment, so that what its
``--cert`` or its settings say does not lose to ``REQUESTS_CA_BUNDLE``."""


def child_environment(
    environment: Mapping[str, str], proxy_url: str, ca_bundle: Path
) -> dict[str, str]:
    """``environment`` with our proxy and a bundle of certificate authorities that holds ours.

    Exceptions to the proxy are removed: a client that talks to loopback would pass us by.
    """
    child = {name: value for name, value in environment.items() if name.lower() != "no_proxy"}
    for name in _PROXY_VARIABLES:
        child[name] = child[name.lower()] = proxy_url
    for name in (*_CA_VARIABLES, *(name for name in _CA_VARIABLES_WHERE_SET if child.get(name))):
        child[name] = str(ca_bundle)
    child.setdefault(_PIP_PROXY, proxy_url)
    # Node heeds the proxy variables only when asked to.
    child["NODE_USE_ENV_PROXY"] = "1"
    return child


def shell_lines(environment: Mapping[str, str], proxy_url: str, ca_bundle: Path) -> Iterator[str]:
    """What makes a shell with this ``environment`` give the same to the commands it starts."""
    yield "unset NO_PROXY no_proxy"
    for name, value in child_environment(environment, proxy_url, ca_bundle).items():
        if environment.get(name) != value:
            yield f"export {name}={shlex.quote(value)}"
