"""The certificate authority whose certificates the wrapped command is told to trust.

It lives in the user's data folder, readable by the user alone, and is trusted by nobody else:
only commands that we start are given it. The bundle that they are given holds the system's roots
too, since their tools talk to hosts that we do not open.
"""

import os
import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Final

import certifi
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from mitmproxy.certs import CertStore
from platformdirs import user_data_path

from gateway.environment import CA_VARIABLES
from wiretape.errors import WiretapeError

_BASENAME: Final = "mitmproxy"
_KEY_BITS: Final = 2048
_PEM_MARK: Final = b"-----BEGIN CERTIFICATE-----"
_SYSTEM_BUNDLES: Final = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
)


class AuthorityError(WiretapeError):
    """The certificate authority cannot be made or read."""


class Authority:
    """Our certificate authority.

    ``folder`` is laid out as mitmproxy's ``confdir``; ``certificate`` is the public part.
    """

    def __init__(self, folder: Path, store: CertStore) -> None:
        self.folder = folder
        self._store = store
        self._contexts: dict[str, ssl.SSLContext] = {}

    @property
    def certificate(self) -> Path:
        return self.folder / f"{_BASENAME}-ca-cert.pem"

    def server_context(self, host: str) -> ssl.SSLContext:
        """What a server needs to speak TLS as ``host``, over HTTP/1.1."""
        if host not in self._contexts:
            self._contexts[host] = self._make_context(host)
        return self._contexts[host]

    def _make_context(self, host: str) -> ssl.SSLContext:
        try:
            name: x509.GeneralName = x509.IPAddress(ip_address(host))
        except ValueError:
            name = x509.DNSName(host)
        entry = self._store.get_cert(host, [name])
        key = entry.privatekey.private_bytes(
            Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # The standard library loads keys from files only.
        with NamedTemporaryFile(prefix="wiretape-") as file:
            file.write(entry.cert.to_pem() + key)
            file.flush()
            context.load_cert_chain(file.name)
        context.set_alpn_protocols(["http/1.1"])
        return context

    def write_bundle(self, path: Path, environment: Mapping[str, str]) -> None:
        """Writes the roots that ``environment`` trusts, and ours, to ``path``."""
        path.write_bytes(system_roots(environment) + b"\n" + self.certificate.read_bytes())


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
        said = getattr(error, "strerror", None) or error
        raise AuthorityError(
            f"the certificate authority in {folder} cannot be used ({said}): "
            "remove that folder, or name another in WIRETAPE_CA_DIR."
        ) from error
    return Authority(folder, store)


def system_roots(environment: Mapping[str, str]) -> bytes:
    """The certificate authorities that programs with this environment would trust, as PEM.

    Some variables add to the system's, others take their place, and which do differs from
    program to program: all are taken together.
    """
    named = [environment[name] for name in CA_VARIABLES if environment.get(name)]
    folders = environment.get("SSL_CERT_DIR", "").split(os.pathsep)
    places = [Path(place) for place in (*named, *folders) if place]
    return b"\n".join(
        data
        for place in dict.fromkeys((*places, _default_roots()))
        for file in (sorted(place.iterdir()) if place.is_dir() else [place])
        if _PEM_MARK in (data := _read(file))
    )


def _default_roots() -> Path:
    openssl = ssl.get_default_verify_paths().openssl_cafile
    candidates = [Path(file) for file in (openssl, *_SYSTEM_BUNDLES) if file]
    return next((file for file in candidates if file.is_file()), Path(certifi.where()))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        # A client would not get anything out of it either.
        return b""
