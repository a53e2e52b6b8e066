"""What a report says of a replay with faults: it names what was recorded, not what was put in.

Of several places that stand for one recorded request, the client asks for one; that it leaves the
others is no finding.
"""

from dataclasses import replace

from replayer.faults.bending import Faulted
from replayer.report import NotAsked, Report, Spot, Verdict
from wiretape.words import counted


def tell_faults(report: Report, faulted: Faulted) -> None:
    """Makes the report one about the recording, and notes how often each fault was met."""
    asked = {faulted.originals.get(spot, spot) for spot in _met(report)}
    missed: dict[Spot, NotAsked] = {}
    for each in report.not_asked:
        exchange, message = faulted.originals.get(
            (each.exchange, each.message), (each.exchange, each.message)
        )
        if (exchange, message) not in asked:
            again = replace(each, exchange=exchange, message=message)
            missed.setdefault((exchange, message), again)
    met = times_met(report, faulted)
    report.name_places(faulted.originals)
    report.not_asked = list(missed.values())
    for text, times in met.items():
        report.note(
            f"the fault {text} was met {counted(times, 'time')}"
            if times
            else f"the fault {text} was not met: the client did not ask for what it is about"
        )


def times_met(report: Report, faulted: Faulted) -> dict[str, int]:
    """How often the client came to each fault. ``report`` is about what was played."""
    met = _met(report)
    return {text: sum(spot in spots for spot in met) for text, spots in faulted.waiting.items()}


def _met(report: Report) -> list[Spot]:
    """What was played to the client."""
    return [
        (each.exchange, each.message)
        for each in report.requests
        if each.verdict is not Verdict.UNEXPECTED and each.exchange is not None
    ]
