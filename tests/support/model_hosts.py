"""A certificate for the real model hosts, from an authority made on the spot."""

import datetime
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

HOSTS = ("api.openai.com", "chatgpt.com")


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """PEM files: the server's chain and key, and the authority that a client has to trust."""

    chain: Path
    key: Path
    authority: Path
    hosts: tuple[str, ...] = HOSTS


def model_hosts_certificate(folder: Path) -> ServerCertificate:
    """Writes a certificate for ``HOSTS``, good for a day either side of now, into ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    made = ServerCertificate(folder / "chain.pem", folder / "key.pem", folder / "authority.pem")
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("test authority")
    authority = _signed(
        _builder(authority_name, authority_name, authority_key).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        ),
        authority_key,
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS])
    leaf = _signed(
        _builder(_name(HOSTS[0]), authority_name, key).add_extension(names, critical=False),
        authority_key,
    )
    made.authority.write_bytes(authority.public_bytes(Encoding.PEM))
    made.chain.write_bytes(leaf.public_bytes(Encoding.PEM))
    made.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return made


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - day)
        .not_valid_after(now + day)
    )


def _signed(builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey) -> x509.Certificate:
    return builder.sign(key, hashes.SHA256())
