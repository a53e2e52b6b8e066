"""The agent's own tools, run inside a recording, still verify their own certificates."""

import http.server
import shutil
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from certificates import loopback_certificate
from provider import Provider
from provider_script import Reply, Say, Script
from record_command import CLIENT, clean_environment, record
from recorded import recorded

MARK = "tools-were-here"
"""A name that is in everything that the tools ask for."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path, certificate: tuple[Path, Path]) -> Iterator[str]:
    """The files in ``folder``, over TLS on loopback; gives their base URL."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder))
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"https://127.0.0.1:{server.server_port}/{MARK}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def make_site(folder: Path) -> None:
    """A page for curl, a repository for git, and an index with one package for pip."""
    site = folder / MARK
    site.mkdir(parents=True)
    (site / "page").write_text("the page")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    for arguments in (
        ["init", "-q", str(folder / "work")],
        ["-C", str(folder / "work"), "commit", "-q", "--allow-empty", "-m", "one"],
        ["clone", "-q", "--bare", str(folder / "work"), str(site / "repo.git")],
        ["-C", str(site / "repo.git"), "update-server-info"],
    ):
        subprocess.run([*git, *arguments], check=True, env=clean_environment(folder))
    name = "tiny-1.0-py3-none-any.whl"
    (site / "simple" / "tiny").mkdir(parents=True)
    (site / "simple" / "tiny" / "index.html").write_text(f'<a href="{name}">{name}</a>')
    with zipfile.ZipFile(site / "simple" / "tiny" / name, "w") as wheel:
        info = "tiny-1.0.dist-info"
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


TOOLS = ("curl", "git", "pip", "pip.conf", "pip_cert")
"""Each is told of the authority in its own way, pip in three."""

SCRIPT = """
try() { name=$1; shift; "$@" >"$name.out" 2>&1 </dev/null; echo "$name $?"; }
pip="$PYTHON -m pip --disable-pip-version-check --no-cache-dir --retries 0 download --no-deps"
git="git -c http.sslCAInfo=$MINE clone -q"
try curl-known curl -sSv --cacert "$MINE" "$KNOWN/page"
try curl-unknown curl -sS --cacert "$MINE" "$UNKNOWN/page"
try git-known $git "$KNOWN/repo.git" one
try git-unknown $git "$UNKNOWN/repo.git" two
try pip-known $pip --cert "$MINE" -d one -i "$KNOWN/simple" tiny
try pip-unknown $pip --cert "$MINE" -d two -i "$UNKNOWN/simple" tiny
export PIP_CONFIG_FILE="$HOME/pip.conf"
printf '[global]\\ncert = %s\\n' "$MINE" >"$PIP_CONFIG_FILE"
try pip.conf-known $pip -d three -i "$KNOWN/simple" tiny
try pip.conf-unknown $pip -d four -i "$UNKNOWN/simple" tiny
export PIP_CERT="$MINE" PIP_CONFIG_FILE=/dev/null
try pip_cert-known $pip -d five -i "$KNOWN/simple" tiny
try pip_cert-unknown $pip -d six -i "$UNKNOWN/simple" tiny
"$PYTHON" "$CLIENT" "$MODEL"
"""


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("git")), reason="needs curl and git")
def test_tools_verify_their_own_certificates(tmp_path: Path) -> None:
    """A server they know is reached, one they do not is refused; nothing of it is on the tape."""
    certificates = []
    for name in ("known", "unknown", "home"):
        (tmp_path / name).mkdir()
        certificates.append(loopback_certificate(tmp_path / name))
    make_site(tmp_path / "files")
    home = tmp_path / "home"
    with (
        served(tmp_path / "files", certificates[0]) as known,
        served(tmp_path / "files", certificates[1]) as unknown,
        Provider(Script(posts=(Reply(Say("hello")),))) as provider,
    ):
        environment = {
            "KNOWN": known,
            "UNKNOWN": unknown,
            "MINE": str(certificates[0][0]),
            # What the bundle trusts too: the tools must not, since they were told of MINE.
            "SSL_CERT_FILE": str(certificates[1][0]),
            "PYTHON": sys.executable,
            "CLIENT": CLIENT[1],
            "MODEL": f"{provider.base_url}/responses",
            "GIT_TERMINAL_PROMPT": "0",
        }
        run = record(home, "-o", "t.db", "--", "sh", "-c", SCRIPT, environment=environment)
    codes = dict(line.split() for line in run.stdout.split("\n")[:10])
    said = {name: (home / f"{name}.out").read_text() for name in codes}
    assert {name: code == "0" for name, code in codes.items()} == {
        f"{tool}-{server}": server == "known" for tool in TOOLS for server in ("known", "unknown")
    }, said
    assert all("certificate" in said[f"{tool}-unknown"] for tool in TOOLS), said
    assert "subject: CN=127.0.0.1" in said["curl-known"]
    assert "Uses proxy env variable https_proxy" in said["curl-known"]
    assert {each.name for each in (home / "one").iterdir()} == {".git", "tiny-1.0-py3-none-any.whl"}
    assert [each.exchange.request.target for each in recorded(home / "t.db")] == ["/v1/responses"]
    assert MARK.encode() not in (home / "t.db").read_bytes()
    assert run.stderr.count("\n") == 1, run.stderr
