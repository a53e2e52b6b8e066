"""Verdicts as lines for a person, and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from replayer.reference.verify import Verified
from replayer.report import Verdict as MetAs
from wiretape.client.actions import Printed
from wiretape.words import counted, printable


def lines(found: Sequence[Verified], gaps: int) -> Iterator[str]:
    """The verdicts; ``gaps`` is how many the tape has."""
    for each in found:
        yield f"session {printable(each.session.id or 'unnamed')}: {each.verdict}"
        yield from (f"  {printable(line)}" for line in _told(each))
    if not found:
        yield "no session asks for a response"
    if gaps:
        yield f"the recording has {counted(gaps, 'gap')}: what was lost may be missed here"


def _told(each: Verified) -> Iterator[str]:
    course, provider, report = each.course, each.provider, each.report
    if course is None or provider is None or report is None:
        yield from _another(each.session.client)
        return
    if (parting := each.divergence) is not None:
        yield f"{parting.place}"
        yield f"  recorded:   {parting.recorded}"
        yield f"  documented: {parting.documented}"
    yield (
        f"{counted(course.acts, 'act')} of {len(each.session.acts)}, "
        f"{counted(len(course.steps), 'step')}, assuming stream_max_retries = "
        f"{provider.stream_max_retries}, request_max_retries = {provider.request_max_retries}"
    )
    if course.cut is not None:
        yield f"up to where {course.cut}"
    if each.session.compacted_at_us is not None:
        yield f"up to the compaction at {each.session.compacted_at_us / 1e6:.6f} s"
    for request in report.of(MetAs.DIFFERENT):
        paths = ", ".join(difference.path for difference in request.differences)
        yield f"asked otherwise than in exchange {request.exchange}: {paths}"


def _another(client: str | None) -> Iterator[str]:
    """Why there is no verdict, and what to do."""
    if client is None:
        yield "its requests name no client: give them one, like `user-agent: codex_exec/0.99.0`"
    else:
        yield f"its client ({client}) is not the one that is documented"
        yield "hold the tape against it itself: wiretape replay TAPE -- COMMAND"


def as_json(each: Verified) -> dict[str, Any]:
    """A verdict as data."""
    session, course, provider, report = each.session, each.course, each.provider, each.report
    document: dict[str, Any] = {
        "id": session.id,
        "client": session.client,
        "verdict": each.verdict,
        "divergence": None if each.divergence is None else asdict(each.divergence),
        "acts": len(session.acts),
        "compacted_at_us": session.compacted_at_us,
    }
    if course is None or provider is None or report is None:
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
        "requests": [asdict(request) for request in report.requests],
    }
