"""A recorder in this process, in a thread of its own, writing to a tape."""

import atexit
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

from tape_facts import LABEL

from gateway.authority import open_authority, system_roots
from gateway.clock import Clock
from recorder.capture import Capture
from recorder.hooks import RecorderAddon
from recorder.proxy import ProxySettings, running_proxy
from recorder.routing import Routing, Upstream
from recorder.sockets import SocketInterpreter
from recorder.user_proxy import user_proxies
from replayer.pytest_plugin.in_thread import in_thread
from wiretape.facts import End, Gap, Piece
from wiretape.store_reader import Exchange, TapeReader
from wiretape.store_writer import TapeWriter

WAIT_S = 20.0


@dataclass
class Recorder:
    """A running recorder: where it listens, what it told, and a look at its tape.

    ``authority`` is the certificate that its clients have to trust.
    """

    tape: Path
    authority: Path
    capture: Capture
    url: str = ""
    told: list[str] = field(default_factory=list)

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        return host, int(port)

    def settle(self) -> None:
        """Waits until every exchange has ended."""
        wait_for(lambda: self.capture.is_idle)


@cache
def authority_folder() -> str:
    """One authority for all: making its key takes as long as a test."""
    folder = tempfile.mkdtemp(prefix="wiretape-ca-")
    atexit.register(shutil.rmtree, folder)
    return folder


@contextmanager
def recording(
    folder: Path,
    routing: Routing | None = None,
    *,
    reverse: Upstream | None = None,
    environment: Mapping[str, str] = {},
    capture_with: Callable[[TapeWriter], Capture] = lambda writer: Capture(writer.put),
) -> Iterator[Recorder]:
    """Records to ``folder/t.db`` while the context lasts; the tape is closed after it.

    ``environment`` may name the authorities that upstreams are checked against, and a proxy.
    """
    authority = open_authority({"WIRETAPE_CA_DIR": authority_folder()})
    roots = folder / "roots.pem"
    roots.write_bytes(system_roots(environment))
    proxies = user_proxies(environment)
    settings = ProxySettings("127.0.0.1", 0, authority.folder, roots, reverse, proxies)
    clock = Clock()
    told: list[str] = []
    writer = TapeWriter(
        folder / "t.db", LABEL, on_trouble=told.append, interpret=SocketInterpreter()
    )
    capture = capture_with(writer)
    recorder = Recorder(folder / "t.db", authority.certificate, capture, told=told)
    addon = RecorderAddon(capture, routing or Routing(), clock.now_us, told.append)
    proxy = partial(running_proxy, settings, addon, told.append)
    with writer, in_thread(proxy) as url:
        recorder.url = url
        yield recorder


def wait_for(happened: Callable[[], bool]) -> None:
    """Returns as soon as it has; fails where it never does."""
    deadline = time.monotonic() + WAIT_S
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


@dataclass(frozen=True)
class Recorded:
    """What a tape holds of one exchange."""

    exchange: Exchange
    body: bytes
    pieces: tuple[Piece, ...]

    @property
    def data(self) -> bytes:
        """The response body."""
        return b"".join(piece.data for piece in self.pieces)

    @property
    def end(self) -> End:
        assert self.exchange.end is not None
        return self.exchange.end

    @property
    def status(self) -> int | None:
        return self.exchange.response and self.exchange.response.status


def recorded(tape: Path) -> list[Recorded]:
    """Every exchange on a tape."""
    with TapeReader(tape) as reader:
        return [
            Recorded(each, reader.request_body(each.id), tuple(reader.pieces(each.id)))
            for each in reader.exchanges()
        ]


def gaps(tape: Path) -> list[Gap]:
    with TapeReader(tape) as reader:
        return reader.gaps()
