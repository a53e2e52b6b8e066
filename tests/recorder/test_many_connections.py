"""Many connections at once, where the system gives few open files to who does not ask for more."""

import logging
import subprocess
import sys
from pathlib import Path

from provider import Provider
from provider_script import Reply, Say, Script
from record_command import TIMEOUT_S, WIRETAPE, clean_environment
from recorded import recording

MANY = 60
FEW = 80
"""Enough for a client with so many connections; a proxy has two files for each of them."""

CROWD = """
import os, resource, socket, sys
from urllib.parse import urlsplit

proxy, url, many = urlsplit(os.environ["http_proxy"]), sys.argv[1], int(sys.argv[2])
head = f"POST {url} HTTP/1.1\\r\\nhost: x\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\n"
crowd = [socket.create_connection((proxy.hostname, proxy.port), 20) for _ in range(many)]
for each in crowd:
    each.sendall(head.encode())
for each in crowd:
    each.sendall(b"{}")
answered = sum(each.recv(100).startswith(b"HTTP/1.1 200 ") for each in crowd)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], answered)
"""
"""Opens connections, asks on all, and says its own limit and how many were answered."""


def crowd(folder: Path, url: str, *command: str) -> subprocess.CompletedProcess[str]:
    limited = ["sh", "-c", f'ulimit -S -n {FEW} && exec "$@"', "sh", WIRETAPE, *command]
    return subprocess.run(
        [*limited, "--", sys.executable, "-c", CROWD, url, str(MANY)],
        env=clean_environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        start_new_session=True,
    )


def test_more_than_the_limit_that_we_were_started_with(tmp_path: Path) -> None:
    """All are answered, recorded and replayed; the client's own limit stays as it was."""
    with Provider(Script(posts=(Reply(Say("hello")),))) as provider:
        url = f"{provider.base_url}/responses"
        recorded_run = crowd(tmp_path, url, "record", "-o", "t.db")
    assert recorded_run.stdout == f"{FEW} {MANY}\n", recorded_run
    (last,) = recorded_run.stderr.splitlines()
    assert f" {MANY} sessions, {MANY} requests, " in last
    assert crowd(tmp_path, url, "replay", "t.db").stdout == f"{FEW} {MANY}\n"


def test_what_fails_for_many_is_told_once(tmp_path: Path) -> None:
    """With the words of the exception."""
    with recording(tmp_path) as recorder:
        for _ in range(3):
            problem = OSError(24, "Too many open files")
            logging.getLogger("asyncio").error("It was not accepted.", exc_info=problem)
    assert recorder.told == ["It was not accepted: Too many open files"]
