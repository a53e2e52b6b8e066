"""One recording, from the opened tape to the closed one."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gateway.authority import Authority, open_authority, system_roots
from gateway.bypass import bypasses, left_behind
from gateway.child import Signals, run_child
from gateway.clock import Clock
from gateway.environment import child_environment, shell_lines
from gateway.limits import raise_file_limit
from recorder.capture import Capture
from recorder.hooks import RecorderAddon
from recorder.proxy import ProxySettings, running_proxy
from recorder.routing import Routing, Upstream
from recorder.sockets import SocketInterpreter
from recorder.user_proxy import user_proxies
from wiretape.errors import UpstreamError, WiretapeError
from wiretape.redact import redact_command
from wiretape.store_writer import TapeLabel, TapeWriter

_SETTLE_S: Final = 1.0
"""How long exchanges may take to end by themselves once the command is over."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What to record, and where to.

    Without ``command`` the proxy runs until it is told to stop; ``reverse`` then makes it a
    reverse proxy for that upstream.
    """

    tape: Path
    host: str
    port: int
    routing: Routing
    command: tuple[str, ...] = ()
    reverse: Upstream | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a recording ended.

    ``unwritten_gaps`` counts what was lost and could not be noted; ``unopened`` are the hosts
    whose TLS passed untouched.
    """

    tape: Path
    exit_code: int
    unwritten_gaps: int = 0
    unopened: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a recording runs in.

    ``tell`` gets each sentence for the person at the terminal, ``show`` what a shell can read:
    how to start a client that comes our way, where there is no command. ``signals`` are kept
    from us before and after, so that none leaves the tape half made.
    """

    environment: Mapping[str, str]
    tell: Callable[[str], None]
    show: Callable[[str], None]
    signals: Signals


def record(recording: Recording, around: Surroundings) -> Outcome:
    """Records until the command, or whoever stops us, is done.

    Raises:
        WiretapeError: the recording cannot begin; nothing was run.
    """
    authority = open_authority(around.environment)
    clock = Clock()
    label = TapeLabel(
        "record",
        clock.started_at_us,
        clock.name,
        json.dumps(redact_command(recording.command)) if recording.command else None,
    )
    writer = TapeWriter(
        recording.tape, label, on_trouble=around.tell, interpret=SocketInterpreter()
    )
    try:
        with writer:
            code, unopened = asyncio.run(_record(recording, around, authority, clock, writer))
    except WiretapeError:
        # Nothing was run, so the tape that we have just made is empty.
        recording.tape.unlink(missing_ok=True)
        raise
    return Outcome(recording.tape, code, writer.unwritten_gaps, unopened)


async def _record(
    recording: Recording,
    around: Surroundings,
    authority: Authority,
    clock: Clock,
    writer: TapeWriter,
) -> tuple[int, tuple[str, ...]]:
    environment, tell = around.environment, around.tell
    proxies = user_proxies(environment)
    for upstream in (recording.reverse, recording.routing.upstream):
        # Behind a proxy, the proxy alone may know the names of the world.
        if upstream is not None and proxies.on_the_way_to(*upstream) is None:
            await _check_is_known(upstream)
    capture = Capture(writer.put)
    addon = RecorderAddon(capture, recording.routing, clock.now_us, tell)
    with tempfile.TemporaryDirectory(prefix="wiretape-") as folder:
        roots, bundle = Path(folder) / "roots.pem", Path(folder) / "bundle.pem"
        roots.write_bytes(system_roots(environment))
        authority.write_bundle(bundle, environment)
        settings = ProxySettings(
            recording.host, recording.port, authority.folder, roots, recording.reverse, proxies
        )
        for sentence in bypasses(recording.command, environment):
            tell(sentence)
        async with running_proxy(settings, addon, tell) as url:
            if recording.command:
                child = child_environment(environment, url, bundle)
                with left_behind(recording.command, environment, tell):
                    code = await run_child(recording.command, child, around.signals)
                await _settled(capture)
                if cut := capture.under_way:
                    tell(
                        f"{cut} {'exchange was' if cut == 1 else 'exchanges were'} still under "
                        "way when the command was over, and cut off: let the command wait for "
                        "what it starts."
                    )
            else:
                if recording.reverse is None:
                    around.show("\n".join(shell_lines(environment, url, bundle)))
                for sentence in _how_to_use(url, recording):
                    tell(sentence)
                raise_file_limit()
                await around.signals.told_to_stop()
                code = 0
    return code, addon.unopened


async def _check_is_known(upstream: Upstream) -> None:
    try:
        await asyncio.get_running_loop().getaddrinfo(upstream.host, upstream.port)
    except (OSError, UnicodeError) as error:
        raise UpstreamError(
            f"the upstream {upstream} cannot be used, since its name is not known "
            f"({getattr(error, 'strerror', None) or error}): check --upstream."
        ) from error


async def _settled(capture: Capture) -> None:
    deadline = asyncio.get_running_loop().time() + _SETTLE_S
    while not capture.is_idle and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.01)


def _how_to_use(url: str, recording: Recording) -> Sequence[str]:
    if recording.reverse is not None:
        return (
            f"recording to {recording.tape}; requests to {url} go to {recording.reverse}.",
            f"give the client {url} as its base URL, with the path it is used to (like /v1).",
            "Ctrl-C ends the recording.",
        )
    return (
        f"recording to {recording.tape}; the proxy is {url}.",
        "paste the lines above into the shell that starts the client; the file that they name is "
        "there as long as the proxy is.",
        "Ctrl-C ends the recording.",
    )
