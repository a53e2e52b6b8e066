"""Our certificate authority, and the bundle that holds the system's roots and it."""

import socket
import ssl
import stat
from pathlib import Path

import certifi
import pytest
from certificates import loopback_certificate
from raw_sockets import RawServer

from gateway.authority import Authority, AuthorityError, open_authority, system_roots


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return open_authority({"WIRETAPE_CA_DIR": str(tmp_path_factory.mktemp("ca"))})


def fingerprints(pem: bytes) -> set[bytes]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cadata=pem.decode())
    return set(context.get_ca_certs(binary_form=True))


def test_it_is_made_once_and_kept(tmp_path: Path) -> None:
    """Opened again it is the same, and its key is for its owner alone."""
    environment = {"WIRETAPE_CA_DIR": str(tmp_path / "ca")}
    first = open_authority(environment).certificate.read_bytes()
    assert open_authority(environment).certificate.read_bytes() == first
    keys = [file for file in (tmp_path / "ca").iterdir() if b"PRIVATE" in file.read_bytes()]
    assert keys
    assert {stat.S_IMODE(file.stat().st_mode) for file in (tmp_path / "ca", *keys)} <= {
        0o700,
        0o600,
    }


@pytest.mark.parametrize("spoil", ["a file", "a damaged key"])
def test_an_authority_that_cannot_be_used(tmp_path: Path, spoil: str) -> None:
    """One sentence, which says what to do."""
    folder = tmp_path / "ca"
    if spoil == "a file":
        folder.touch()
    else:
        folder.mkdir()
        (folder / "mitmproxy-ca.pem").write_text("damaged")
    with pytest.raises(AuthorityError) as refusal:
        open_authority({"WIRETAPE_CA_DIR": str(folder)})
    assert str(refusal.value).startswith(f"the certificate authority in {folder} cannot be used (")
    assert str(refusal.value).endswith(": remove that folder, or name another in WIRETAPE_CA_DIR.")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    """The system's reason stands there in its words, without its number."""
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "ca"
    with pytest.raises(AuthorityError, match=r"cannot be used \(Not a directory\): "):
        open_authority({"WIRETAPE_CA_DIR": str(folder)})


@pytest.mark.parametrize("host", ["api.openai.com", "127.0.0.1"])
def test_a_client_that_trusts_it_is_served(authority: Authority, host: str) -> None:
    """As any host, by name or by address, over HTTP/1.1."""

    def serve(wire: socket.socket) -> None:
        wire.sendall(b"hello")

    context = ssl.create_default_context(cafile=authority.certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        RawServer(serve, authority.server_context(host)) as server,
        socket.create_connection(("127.0.0.1", server.port)) as wire,
        context.wrap_socket(wire, server_hostname=host) as secured,
    ):
        assert secured.selected_alpn_protocol() == "http/1.1"
        assert secured.recv(10) == b"hello"


def test_the_bundle_holds_the_systems_roots_and_ours(authority: Authority, tmp_path: Path) -> None:
    """A client of it trusts what it trusted before, and us."""
    bundle = tmp_path / "bundle.pem"
    authority.write_bundle(bundle, {})
    held = fingerprints(bundle.read_bytes())
    assert fingerprints(authority.certificate.read_bytes()) < held
    assert fingerprints(system_roots({})) < held
    assert len(held) > 50


@pytest.mark.parametrize(
    "variable",
    [
        "SSL_CERT_FILE",
        "CODEX_CA_CERTIFICATE",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NODE_EXTRA_CA_CERTS",
        "PIP_CERT",
        "SSL_CERT_DIR",
    ],
)
def test_the_users_own_authorities_are_among_them(tmp_path: Path, variable: str) -> None:
    """Under each name that they are known by, as a file or a folder, and the system's stay."""
    certificate, _ = loopback_certificate(tmp_path)
    named = str(tmp_path if variable.endswith("DIR") else certificate)
    roots = system_roots({variable: named})
    assert certificate.read_bytes() in roots
    assert len(fingerprints(roots)) > 50


def test_what_is_no_authority_is_left_out(tmp_path: Path) -> None:
    """A missing file, a folder with keys and notes: the bundle holds certificates only."""
    _, key = loopback_certificate(tmp_path)
    (tmp_path / "notes.txt").write_text("no certificate")
    roots = system_roots({"SSL_CERT_FILE": "/nowhere.pem", "SSL_CERT_DIR": str(tmp_path)})
    assert key.read_bytes() not in roots
    assert b"no certificate" not in roots


def test_without_any_system_roots_there_are_certifis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a bundle of its own."""
    monkeypatch.setattr(Path, "is_file", lambda _: False)
    assert system_roots({}) == Path(certifi.where()).read_bytes()
