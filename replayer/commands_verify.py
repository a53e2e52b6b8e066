"""``wiretape verify``."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from replayer.reference.recorded import recorded_sessions
from replayer.reference.verify import Verdict, Verified
from replayer.reference.verify import verify as run_verify
from wiretape.client.actions import Printed
from wiretape.commands.options import json_option
from wiretape.commands.words import counted, printable
from wiretape.errors import NoSuchSession
from wiretape.store_reader import TapeReader


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--session",
    "session",
    metavar="ID",
    help="Only this session (a start of its id is enough).",
)
@json_option
def verify(tape: Path, session: str | None, as_json: bool) -> int:
    """Hold TAPE against the documented client.

    A client that behaves as the documents say lives through each session again, offline, over
    real sockets. What it sees, does and prints must be what the recording says; else the first
    place where they part is named, and the exit code is 1.

    \b
    wiretape verify bug.db
    wiretape verify bug.db --json
    """
    with TapeReader(tape) as reader:
        found = asyncio.run(_verified(reader, session or ""))
        gaps = len(reader.gaps())
    if session is not None and not found:
        raise NoSuchSession(
            f"{tape} has no session {session!r}: `wiretape ls {tape}` lists its sessions."
        )
    if as_json:
        document = {"tape": str(tape), "gaps": gaps, "sessions": [_as_json(each) for each in found]}
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for line in _lines(found, gaps):
            click.echo(line)
    return 1 if any(each.verdict is Verdict.DIVERGES for each in found) else 0


async def _verified(reader: TapeReader, start: str) -> list[Verified]:
    return [
        await run_verify(reader, session, tell=_tell)
        for session in recorded_sessions(reader)
        if (session.id or "").startswith(start)
    ]


def _tell(sentence: str) -> None:
    click.echo(f"wiretape: {sentence}", err=True)


def _lines(found: list[Verified], gaps: int) -> Iterator[str]:
    for each in found:
        yield f"session {printable(each.session.id or 'unnamed')}: {each.verdict}"
        yield from (f"  {printable(line)}" for line in _told(each))
    if not found:
        yield "no session asks for a response"
    if gaps:
        yield f"the recording has {counted(gaps, 'gap')}: what was lost may be missed here"


def _told(each: Verified) -> Iterator[str]:
    course, provider = each.course, each.provider
    if course is None or provider is None:
        yield f"its client ({each.session.client or 'unnamed'}) is not the one that is documented"
        return
    if (parting := each.divergence) is not None:
        yield f"{parting.place}"
        yield f"  recorded:   {parting.recorded}"
        yield f"  documented: {parting.expected}"
    yield (
        f"{counted(course.acts, 'act')} of {len(each.session.acts)}, "
        f"{counted(len(course.steps), 'step')}, assuming stream_max_retries = "
        f"{provider.stream_max_retries}, request_max_retries = {provider.request_max_retries}"
    )
    if course.cut is not None:
        yield f"up to where {course.cut}"
    if each.session.compacted_at_us is not None:
        yield f"up to the compaction at {each.session.compacted_at_us / 1e6:.6f} s"
    yield from (f"asked otherwise: {place}: {each.path}" for place, each in course.differences)


def _as_json(each: Verified) -> dict[str, Any]:
    session, course, provider = each.session, each.course, each.provider
    document: dict[str, Any] = {
        "id": session.id,
        "client": session.client,
        "verdict": each.verdict,
        "divergence": None if each.divergence is None else asdict(each.divergence),
        "acts": len(session.acts),
        "compacted_at_us": session.compacted_at_us,
    }
    if course is None or provider is None:
        return document
    return document | {
        "assumed": {
            "supports_websockets": provider.supports_websockets,
            "stream_max_retries": provider.stream_max_retries,
            "request_max_retries": provider.request_max_retries,
        },
        "acts_explained": course.acts,
        "steps": len(course.steps),
        "printed": [step.output.line for step in course.steps if isinstance(step.output, Printed)],
        "cut": course.cut,
        "asked": each.asked,
        "asked_otherwise": [
            {**asdict(place), **asdict(difference)} for place, difference in course.differences
        ],
    }
