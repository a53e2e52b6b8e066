"""The certificate authority whose certificates the wrapped command is told to trust.

It lives in the user's data folder, readable by the user alone, and is trusted by nobody else:
only commands that we start are given it. The bundle that they are given holds the system's roots
too, since their tools talk to hosts that we do not open.
"""

import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import certifi
from mitmproxy.certs import CertStore
from platformdirs import user_data_path

from wiretape.errors import WiretapeError

_BASENAME: Final = "mitmproxy"
_KEY_BITS: Final = 2048


class AuthorityError(WiretapeError):
    """The certificate authority cannot be made or read."""


@dataclass(frozen=True, slots=True)
class Authority:
    """Our certificate authority.

    ``folder`` is laid out as mitmproxy's ``confdir``; ``certificate`` is the public part.
    """

    folder: Path
    store: CertStore

    @property
    def certificate(self) -> Path:
        return self.folder / f"{_BASENAME}-ca-cert.pem"

    def write_bundle(self, path: Path, environment: Mapping[str, str]) -> None:
        """Writes the roots that ``environment`` trusts, and ours, to ``path``."""
        path.write_bytes(
            system_roots(environment) + b"\n" + self.certificate.read_bytes()
        )


def open_authority(environment: Mapping[str, str]) -> Authority:
    """Opens the user's authority, and makes it on first use.

    ``WIRETAPE_CA_DIR`` in ``environment`` names another folder than the user's data folder.

    Raises:
        AuthorityError: the folder cannot be used.
    """
    named = environment.get("WIRETAPE_CA_DIR")
    folder = Path(named) if named else user_data_path("wiretape") / "ca"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        store = CertStore.from_store(folder, _BASENAME, _KEY_BITS)
    except (OSError, ValueError) as error:
        raise AuthorityError(
            f"the certificate authority in {folder} cannot be used ({error}): "
            "remove that folder, or name another in WIRETAPE_CA_DIR."
        ) from error
    return Authority(folder, store)


def system_roots(environment: Mapping[str, str]) -> bytes:
    """The certificate authorities that a program with this environment would trust, as PEM."""
    return b"\n".join(
        path.read_bytes() for path in dict.fromkeys(_root_files(environment)) if path.is_file()
    )


def _root_files(environment: Mapping[str, str]) -> list[Path]:
    named = [
        Path(environment[name])
        for name in ("SSL_CERT_FILE", "CODEX_CA_CERTIFICATE", "NODE_EXTRA_CA_CERTS")
        if environment.get(name)
    ]
    openssl = ssl.get_default_verify_paths()
    defaults = [
        Path(file)
        for file in (
            openssl.openssl_cafile,
            "/etc/ssl/certs/ca-certificates.crt",
            "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/ssl/cert.pem",
        )
        if file and os.path.isfile(file)  # noqa: PTH113
    ]
    return [*named, *(defaults[:1] or [Path(certifi.where())])]
