"""One cell of the record-and-replay table: a situation, run directly, recorded, and replayed.

All three runs have the same home and working folder, wiped in between, so that nothing but the
recorder or the player can make a difference.
"""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codex_run import LOOPBACK_PORT, TIMEOUT_S, UUID, CodexRun, run_codex
from model_hosts import model_hosts_certificate
from provider import Provider
from provider_log import Ask, Asked
from situations import PROMPT, Situation, Transport
from tunnel import Tunnel

WIRETAPE = str(Path(sys.executable).with_name("wiretape"))


@dataclass(slots=True)
class Run:
    """A run of the client: how it went, and what the upstream was asked."""

    codex: CodexRun
    asked: list[Asked] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cell:
    """Runs one situation with one client over one transport, in a folder of its own."""

    situation: Situation
    binary: Path
    transport: Transport
    folder: Path
    features: tuple[str, ...] = ()
    timeout_s: float = TIMEOUT_S

    @property
    def tape(self) -> Path:
        return self.folder / "tape.db"

    @property
    def replay_tape(self) -> Path:
        return self.folder / "replay.db"

    def files(self) -> dict[str, bytes]:
        """What the last run has left in its working folder, by name."""
        cwd = self.folder / "cwd"
        return {
            str(path.relative_to(cwd)): path.read_bytes()
            for path in sorted(cwd.rglob("*"))
            if path.is_file()
        }

    def direct(self) -> Run:
        """A run without any recorder."""
        script = self.situation.scripts[self.transport]
        if not self.situation.is_default_provider:
            with Provider(script) as provider:
                return Run(self._codex(provider.base_url), provider.requests)
        certificate = model_hosts_certificate(self.folder / "tls")
        with (
            Provider(script, tls=(certificate.chain, certificate.key)) as provider,
            Tunnel(provider.port, certificate.hosts) as tunnel,
        ):
            trust = {"HTTPS_PROXY": tunnel.url, "SSL_CERT_FILE": str(certificate.authority)}
            return Run(self._codex(None, environment=trust), provider.requests)

    def recorded(self) -> Run:
        """The same, recorded."""
        with Provider(self.situation.scripts[self.transport]) as provider:
            record = [WIRETAPE, "record", "-o", str(self.tape)]
            if not self.situation.is_default_provider:
                codex = self._codex(provider.base_url, [*record, "--"])
            else:
                origin = provider.base_url.removesuffix("/v1")
                codex = self._codex(None, [*record, "--upstream", origin, "--"])
            return Run(codex, provider.requests)

    def replayed(
        self, *options: str, prefix: Sequence[str] = (), keeps_tape: bool = True
    ) -> tuple[CodexRun, dict[str, Any]]:
        """The recording, replayed with no upstream at all, and its report.

        ``prefix`` stands in front of ``wiretape replay``, ``options`` are its own. The replay is
        a tape itself unless told otherwise.
        """
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        replay = [*prefix, WIRETAPE, "replay", str(self.tape), "--report", str(report)]
        replay += ["-o", str(self.replay_tape)] if keeps_tape else []
        return self.again([*replay, *options, "--"]), json.loads(report.read_text())

    def again(self, prefix: list[str], environment: dict[str, str] | None = None) -> CodexRun:
        """The client that was recorded, run once more behind ``prefix``."""
        base_url = None if self.situation.is_default_provider else self.recorded_base_url()
        return self._codex(base_url, prefix, environment)

    def recorded_base_url(self) -> str:
        config = (self.folder / "home" / "config.toml").read_text()
        found = re.search(r'base_url = "([^"]+)"', config)
        assert found is not None
        return found[1]

    def _codex(
        self,
        base_url: str | None,
        prefix: list[str] | None = None,
        environment: dict[str, str] | None = None,
    ) -> CodexRun:
        for name in ("home", "cwd"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        return run_codex(
            self.binary,
            PROMPT,
            base_url=base_url,
            transport=self.transport,
            home=self.folder / "home",
            cwd=self.folder / "cwd",
            command_prefix=prefix or [],
            settings=self.situation.settings,
            features=self.features,
            timeout_s=self.timeout_s,
            environment={
                "WIRETAPE_CA_DIR": str(self.folder.parent / "ca"),
                **(environment or {}),
            },
        )


# What differs between two equal runs, beside ids: found by comparing runs without a recorder.
# A body is compared itself, and its length goes with the digits of the times in it.
_VOLATILE_HEADERS = frozenset({"content-length", "sec-websocket-key", "traceparent", "tracestate"})
_VOLATILE_TEXT = (
    (re.compile(r"Wall time: [0-9.]+ seconds"), "Wall time: N seconds"),
    (re.compile(r"Chunk ID: [0-9a-f]+"), "Chunk ID: N"),
    (
        re.compile(r'(\\*"[a-z_-]*(?:duration_seconds|create_time|ms)\\*"): ?\\*"?[0-9.]+\\*"?'),
        r"\1: 0",
    ),
)


def comparable(asked: list[Asked], *, is_led_astray: bool = False) -> list[Any]:
    """What the model was asked, with what is volatile replaced; side requests left out.

    ``is_led_astray``: the requests were meant for another host, so its name does not count.
    """
    numbers: dict[str, str] = {}
    left_out = _VOLATILE_HEADERS | ({"host"} if is_led_astray else set())
    return [
        json.loads(_steady(json.dumps(each, ensure_ascii=False), numbers))
        for each in _told(asked, left_out)
    ]


def _told(asked: list[Asked], left_out: Set[str]) -> Iterator[list[Any]]:
    for each in asked:
        if each.kind not in (Ask.MODELS, Ask.OTHER):
            headers = sorted(
                [name.lower(), value]
                for name, value in each.headers
                if name.lower() not in left_out
            )
            yield [each.kind, each.method, each.target, headers, each.body, each.status]


def _steady(text: str, numbers: dict[str, str]) -> str:
    text = LOOPBACK_PORT.sub("PORT", text)
    for pattern, stand_in in _VOLATILE_TEXT:
        text = pattern.sub(stand_in, text)
    return UUID.sub(lambda match: numbers.setdefault(match[0], f"id-{len(numbers)}"), text)
