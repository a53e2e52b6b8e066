"""What would lead Codex past us, whatever environment we give it.

Today's interactive Codex works through a background server (``codex app-server daemon``): one that
ran before has an environment of its own. And what ``$CODEX_HOME/.env`` says overrules the
environment. Seen with 0.169.0; the second with 0.99.0 too.
"""

import re
import shlex
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from gateway.codex import codex_home, place_of_codex
from gateway.env_word import past_env
from gateway.environment import child_environment
from wiretape.errors import UsageError

_CONTROL_SOCKET: Final = Path("app-server-control", "app-server-control.sock")
_STOP: Final = "`codex app-server daemon stop`"
_CONNECT_S: Final = 2.0

_PEER_PID: Final = {
    # Level, option, and where the pid stands in what it gives (socket(7), unix(7); xnu's un.h).
    "linux": (socket.SOL_SOCKET, 17, struct.Struct("i8x")),
    "darwin": (0, 2, struct.Struct("i")),
}

_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "fish", "su", "script"})
_WITHOUT_SERVER: Final = frozenset(
    {"--no-daemon", "--remote", "--help", "-h", "--version", "-V"}
    | {"exec", "e", "review", "login", "logout", "mcp", "mcp-server", "proto", "plugin"}
    | {"app-server", "remote-control", "completion", "update", "doctor", "sandbox", "debug"}
    | {"apply", "a", "cloud", "exec-server", "features", "help"}
)
"""With one of these words Codex does not come to work through the background server."""

_SETTING: Final = re.compile(r"\s*(?:export\s+)?([A-Za-z_]\w*)\s*=")


def bypasses(command: Sequence[str], environment: Mapping[str, str]) -> list[str]:
    """What would lead ``command`` past us if it were run now: a sentence for each, with advice."""
    command, environment = past_env(command, environment)
    runs = list(_runs_of_codex(command))
    found: list[str] = []
    if not runs:
        return found
    home = codex_home(environment)
    if any(_WITHOUT_SERVER.isdisjoint(words) for words in runs):
        pid = background_server(environment)
        if pid is not None:
            found.append(
                f"Codex's background server{_named(pid)} runs already and does not come our way: "
                f"end it with {_STOP}, or start Codex with --no-daemon."
            )
    overruled = _overruled(home / ".env")
    if overruled:
        found.append(
            f"{home / '.env'} sets {', '.join(overruled)}, which overrules what we tell Codex: "
            "take that out of it for this run."
        )
    return found


def refuse_bypasses(command: Sequence[str], environment: Mapping[str, str]) -> None:
    """For those who must not let anything past.

    Raises:
        UsageError: something would lead ``command`` past us; nothing was run.
    """
    for sentence in bypasses(command, environment):
        raise UsageError(f"this run would leave the machine. {sentence}")


def background_server(environment: Mapping[str, str]) -> int | None:
    """The pid of the server that Codex would work through, 0 where the system does not tell it.

    ``None`` where none listens.
    """
    place = codex_home(environment) / _CONTROL_SOCKET
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_CONNECT_S)
        try:
            # A link where the path would be too long for a socket's.
            connection.connect(str(place.resolve()))
        except OSError:
            return None
        return _peer_pid(connection)


@contextmanager
def left_behind(
    command: Sequence[str], environment: Mapping[str, str], tell: Callable[[str], None]
) -> Iterator[None]:
    """Tells of a background server that ``command`` started meanwhile and that goes on running."""
    _, environment = past_env(command, environment)
    before = background_server(environment)
    yield
    after = background_server(environment)
    if after is not None and after != before:
        tell(
            f"Codex's background server{_named(after)} was started inside and goes on running, "
            f"with a proxy that is gone now: end it with {_STOP}, or Codex will find no network."
        )


def _runs_of_codex(command: Sequence[str]) -> Iterator[frozenset[str]]:
    """The arguments of Codex, for each time that ``command`` runs it, through a shell too."""
    codex = place_of_codex(command)
    if codex is not None:
        yield frozenset(command[codex + 1 :])
    elif not _SHELLS.isdisjoint(Path(word).name for word in command):
        for word in command:
            if " " in word:
                for inner in _simple_commands(word):
                    yield from _runs_of_codex(inner)


def _simple_commands(script: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(script.replace("\n", ";"), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    # An unfinished quotation ends the script for its shell too.
    with suppress(ValueError):
        for word in lexer:
            if word[0] in lexer.punctuation_chars:
                yield words
                words = []
            else:
                words.append(word)
    yield words


def _overruled(settings: Path) -> list[str]:
    """The names in a ``.env`` that decide where traffic goes and whom it trusts."""
    try:
        lines = settings.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    ours = {*child_environment({}, "", Path()), "NO_PROXY", "no_proxy"}
    named = [match[1] for line in lines if (match := _SETTING.match(line))]
    # Codex takes no setting of its own from there.
    return [name for name in dict.fromkeys(named) if name in ours and not name.startswith("CODEX_")]


def _peer_pid(connection: socket.socket) -> int:
    if sys.platform not in _PEER_PID:
        return 0
    level, option, shape = _PEER_PID[sys.platform]
    (pid,) = shape.unpack(connection.getsockopt(level, option, shape.size))
    return int(pid)


def _named(pid: int) -> str:
    return f" (pid {pid})" if pid else ""
