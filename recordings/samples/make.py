"""Makes the sample tapes anew: real Codex runs against the scripted provider, each in a folder.

``scripts/make-samples [NAME ...]`` runs it. Everything that a tape could tell about the machine is
neutral: the same folder and the same port each time, UTC, and a home of its own.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from wiretape.commands.tape_json import tape_as_json

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

from codex_binary import codex_binary
from codex_run import CodexRun, provider_config, run_codex
from provider import HOST, Provider
from provider_script import Accept, Close, Fin, Hang, Plain, Reply, Run, Say, Script

SAMPLES: Final = Path(__file__).resolve().parent
STAGE: Final = Path("/tmp/wiretape-sample")
PORT: Final = 8642
BASE_URL: Final = f"http://{HOST}:{PORT}/v1"
PROMPT: Final = "Which day is it on the moon? Ask the shell."
LIMIT_BYTES: Final = 60_000

_RUN: Final = Reply(Run("echo Moonday"))
_SAY: Final = Say("The shell says that it is Moonday.")


@dataclass(frozen=True, slots=True)
class Sample:
    """One tape to make, and what its README says of it."""

    name: str
    title: str
    version: str
    transport: str
    script: Script
    seen: tuple[str, ...]


TABLE: Final = (
    Sample(
        "sse-tool-call",
        "A tool call over SSE",
        "0.99.0",
        "sse",
        Script(posts=(_RUN, Reply(_SAY, Hang()))),
        (
            "The first request is answered by a call of the shell; Codex runs it.",
            "The second request repeats the conversation and adds the output of the command.",
            "Its answer has no end of body: Codex hangs up as soon as it has read "
            "`response.completed`, which is its custom.",
        ),
    ),
    Sample(
        "websocket-tool-call",
        "A tool call over WebSocket",
        "0.169.0",
        "websocket",
        Script(upgrades=(Accept(),), messages=(_RUN, Reply(_SAY))),
        (
            "All requests go over one socket.",
            "The first is a warm-up (`generate: false`): it is answered, and says nothing.",
            "The others name the response before them (`previous_response_id`) and send only "
            "what is new.",
        ),
    ),
    Sample(
        "websocket-fallback",
        "WebSocket closes until Codex falls back to HTTPS",
        "0.99.0",
        "websocket",
        Script(
            upgrades=(Accept(),),
            messages=(_RUN, Reply(_SAY, Close(1011, "scripted failure"), only=3)),
            posts=(Reply(_SAY),),
        ),
        (
            "The answer to the tool's output is cut by a close frame with code 1011.",
            "Codex opens a new socket twice, with longer pauses, and meets the same.",
            "It falls back to HTTPS, where the same request is answered.",
        ),
    ),
    Sample(
        "upgrade-refused",
        "The upgrade to WebSocket is refused with 426",
        "0.169.0",
        "websocket",
        Script(upgrades=(Plain(426),), posts=(_RUN, Reply(_SAY))),
        (
            "The handshake is answered with 426 Upgrade Required.",
            "Codex goes on over HTTPS at once, without a word to the person.",
        ),
    ),
    Sample(
        "cut-stream",
        "A stream is cut, then the request succeeds",
        "0.99.0",
        "sse",
        Script(posts=(_RUN, Reply(_SAY, Fin(), only=18), Reply(_SAY))),
        (
            "The server closes the connection in the middle of the second answer, without the "
            "last chunk.",
            "Codex prints `Reconnecting... 1/2` and sends the same request again, which is "
            "answered.",
        ),
    ),
)


@contextmanager
def stage() -> Iterator[None]:
    """The neutral folder, empty, as long as the context lasts."""
    # Not exist_ok: a folder that is there already is somebody's.
    STAGE.mkdir(mode=0o700)
    try:
        yield
    finally:
        shutil.rmtree(STAGE)


def make(sample: Sample) -> None:
    """Makes the folder of ``sample``."""
    binary = codex_binary(sample.version)
    if binary is None:
        raise SystemExit(f"make-samples: Codex {sample.version} is missing: `make codex`.")
    folder = SAMPLES / sample.name
    folder.mkdir(exist_ok=True)
    tape = folder / "tape.db"
    tape.unlink(missing_ok=True)
    with stage(), Provider(sample.script, port=PORT):
        # The command line is on the tape: Codex is called by its name, as people do.
        commands = STAGE / "commands"
        commands.mkdir()
        (commands / "codex").symlink_to(binary)
        run = run_codex(
            Path("codex"),
            PROMPT,
            base_url=BASE_URL,
            transport=sample.transport,
            home=STAGE / "codex-home",
            cwd=STAGE / "work",
            environment={
                "PATH": f"{commands}{os.pathsep}/usr/bin{os.pathsep}/bin",
                "WIRETAPE_CA_DIR": str(STAGE / "ca"),
            },
            command_prefix=[
                str(Path(sys.executable).with_name("wiretape")),
                *("record", "-o", str(tape), "--"),
            ],
        )
    if run.exit_code != 0 or tape.stat().st_size > LIMIT_BYTES:
        raise SystemExit(
            f"make-samples: {sample.name} came to {run.exit_code} and "
            f"{tape.stat().st_size} bytes: {run.stderr}"
        )
    (folder / "config.toml").write_text(provider_config(BASE_URL, sample.transport, {}), "utf-8")
    found = tape_as_json(tape, with_requests=True)
    (folder / "README.md").write_text(readme(sample, run, found), "utf-8")
    print(f"{sample.name}: {tape.stat().st_size} bytes")


def readme(sample: Sample, run: CodexRun, found: dict[str, Any]) -> str:
    """What the folder says of itself; ``found`` is as ``wiretape show --json`` prints it."""
    (session,) = found["sessions"]
    made_on = datetime.fromtimestamp(found["started_at_us"] / 1e6, UTC).date()
    facts = {
        "client": f"Codex CLI {sample.version}, `codex exec`, a custom provider",
        "made": f"{made_on} by `scripts/make-samples`, against a scripted provider on loopback",
        "prompt": f"`{PROMPT}`",
        "final message": f"`{run.final_message}`",
        "exit code": run.exit_code,
        "requests": len(session["requests"]),
        "attempts": session["attempts"],
        "retries": session["retries"],
        "fallbacks": session["fallbacks"],
        "transports": ", ".join(session["transports"]),
        "events": session["events"],
        "outcome": session["outcome"],
    }
    table = "\n".join(f"| {name} | {value} |" for name, value in facts.items())
    seen = "\n".join(f"- {sentence}" for sentence in sample.seen)
    here, asked = f"recordings/samples/{sample.name}", _asked(session)
    return f"""# {sample.title}

| | |
|---|---|
{table}

## What is to be seen

{seen}

`wiretape show {here}/tape.db` shows it, `--events` to the last event.

## Replay it

From the top of the repository, with `.venv/bin` on the `PATH`:

```sh
rm -rf {STAGE}
mkdir -p {STAGE}/codex-home {STAGE}/work
cp {here}/config.toml {STAGE}/codex-home
CODEX_HOME={STAGE}/codex-home LOCAL_KEY=none \\
  wiretape replay {here}/tape.db --report {STAGE}/report.json -- \\
  "$(scripts/fetch-codex {sample.version})" exec --skip-git-repo-check -C {STAGE}/work \\
  "{PROMPT}"
```

Codex prints the final message, and on stderr what it does. The report comes last, and begins:

```text
wiretape: asked {asked} times: {asked} exact, 0 different, 0 unexpected, 0 not asked
```

Asked is each POST, each handshake of a WebSocket and each message on it.
"""


def _asked(session: dict[str, Any]) -> int:
    """How often the client asked for something: each try, and each socket that it opened."""
    tries = [each for request in session["requests"] for each in request["attempts"]]
    return len(tries) + len({each["exchange"] for each in tries if each["message"] is not None})


def main() -> None:
    """Makes the samples that are named, or all."""
    wanted = sys.argv[1:] or [sample.name for sample in TABLE]
    if unknown := set(wanted) - {sample.name for sample in TABLE}:
        raise SystemExit(f"make-samples: there is no sample {', '.join(sorted(unknown))}.")
    for sample in TABLE:
        if sample.name in wanted:
            make(sample)


if __name__ == "__main__":
    main()
