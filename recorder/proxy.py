"""Runs mitmproxy's core with nothing but what recording needs.

mitmproxy's own commands walk some thirty addons for every message; this one has four and ours.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from mitmproxy.addons import core, next_layer, proxyserver, tlsconfig
from mitmproxy.master import Master
from mitmproxy.options import Options

from recorder.chaining import Chaining
from recorder.endings import in_short
from recorder.hooks import RecorderAddon
from recorder.routing import Upstream
from recorder.user_proxy import UserProxies
from wiretape.errors import ListenError
from wiretape.facts import host_in_url

_START_S: Final = 15.0


@dataclass(frozen=True, slots=True)
class ProxySettings:
    """How the proxy listens and whom it trusts.

    ``port`` 0 means a free one. ``reverse`` is the upstream of a reverse proxy; without it the
    proxy is a forward proxy. ``trusted_roots`` is a PEM file of the authorities that upstreams
    are checked against, ``authority`` the folder of our own. ``proxies`` are those that upstreams
    are reached through.
    """

    host: str
    port: int
    authority: Path
    trusted_roots: Path
    reverse: Upstream | None = None
    proxies: UserProxies = field(default_factory=UserProxies)


class _Started:
    """Tells when the proxy's servers are up."""

    def __init__(self) -> None:
        self.event = asyncio.Event()

    def running(self) -> None:
        self.event.set()


@asynccontextmanager
async def running_proxy(
    settings: ProxySettings, addon: RecorderAddon, on_trouble: Callable[[str], None]
) -> AsyncIterator[str]:
    """A proxy that feeds ``addon`` while the context lasts; gives its URL.

    Raises:
        ListenError: the address cannot be listened on.
    """
    asyncio.get_running_loop().set_exception_handler(_pass_over_cancellations)
    with _telling(on_trouble) as begin_telling:
        master = Master(_options(settings))
        started = _Started()
        server = proxyserver.Proxyserver()
        chaining = Chaining(settings.proxies, settings.trusted_roots)
        master.addons.add(
            *(core.Core(), server, next_layer.NextLayer(), tlsconfig.TlsConfig()),
            *(addon, chaining, started),
        )
        proxy = asyncio.create_task(master.run())
        start = asyncio.create_task(started.event.wait())
        try:
            await asyncio.wait(
                {proxy, start}, timeout=_START_S, return_when=asyncio.FIRST_COMPLETED
            )
            url = _url(settings, server)
            begin_telling()
            yield url
        finally:
            start.cancel()
            # mitmproxy leaves that to the end of its process.
            await server.servers.update([])
            master.shutdown()
            with suppress(asyncio.CancelledError):
                await proxy


def _options(settings: ProxySettings) -> Options:
    return Options(
        listen_host=settings.host,
        listen_port=settings.port,
        mode=["regular" if settings.reverse is None else f"reverse:{settings.reverse}"],
        confdir=str(settings.authority),
        ssl_verify_upstream_trusted_ca=str(settings.trusted_roots),
    )


def _url(settings: ProxySettings, server: proxyserver.Proxyserver) -> str:
    addresses = server.listen_addrs()
    if not addresses:
        problem = next((s.last_exception for s in server.servers if s.last_exception), None)
        raise ListenError(
            f"{settings.host}:{settings.port} cannot be listened on ({_said(problem)}): "
            "choose another address with --listen, or port 0 for a free one."
        )
    host, port = addresses[0][:2]
    return f"http://{host_in_url(host)}:{port}"


def _said(problem: BaseException | None) -> str:
    """The system's words for it; mitmproxy's are about options that are not ours."""
    # It raises an error of its own with the system's as its cause.
    match problem and (problem.__cause__ or problem):
        case OSError(errno=int(number)) if number > 0:
            return os.strerror(number)
        case OSError(strerror=words) as error:
            return words or str(error)
    return "it did not start"


def _pass_over_cancellations(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
    # Until 3.12.2, Python takes a connection that the end of its loop cancels for a failed one.
    if not isinstance(context.get("exception"), asyncio.CancelledError):
        loop.default_exception_handler(context)


@contextmanager
def _telling(tell: Callable[[str], None]) -> Iterator[Callable[[], None]]:
    """Sends the proxy's chatter nowhere, and its errors to ``tell`` once it is told to begin.

    Before that there is only the failure to start, which has an exception of its own.
    """
    handler = _Teller(tell)
    loggers = [logging.getLogger(name) for name in ("mitmproxy", "wiretape", "asyncio")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield lambda: handler.setLevel(logging.ERROR)
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
            logger.propagate = True


class _Teller(logging.Handler):
    """Tells each error once, with the words of the exception that it is about.

    What goes wrong for one connection mostly does for hundreds.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.CRITICAL + 1)
        self._tell = tell
        self._told: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        sentence, error = record.getMessage(), record.exc_info and record.exc_info[1]
        if error:
            sentence = f"{sentence.rstrip('.')}: {in_short(str(error)) or type(error).__name__}"
        if sentence not in self._told:
            self._told.add(sentence)
            self._tell(sentence)
