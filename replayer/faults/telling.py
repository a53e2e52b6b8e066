"""What a report says of a replay with faults: it names what was recorded, not what was put in.

Of several places that stand for one recorded request, the client asks for one; that it leaves the
others is no finding.
"""

from dataclasses import replace

from replayer.faults.bending import Faulted
from replayer.faults.planning import Spot
from replayer.report import NotAsked, ReplayedRequest, Report, Verdict
from wiretape.words import counted


def tell_faults(report: Report, faulted: Faulted) -> None:
    """Makes the report one about the recording, and notes how often each fault was met."""
    met = [
        (each.exchange, each.message)
        for each in report.requests
        if each.verdict is not Verdict.UNEXPECTED and each.exchange is not None
    ]
    asked = {faulted.originals.get(spot, spot) for spot in met}
    missed: dict[Spot, NotAsked] = {}
    for each in report.not_asked:
        exchange, message = _original(each, faulted)
        if (exchange, message) not in asked:
            again = replace(each, exchange=exchange, message=message)
            missed.setdefault((exchange, message), again)
    report.not_asked = list(missed.values())
    report.requests[:] = [_about_the_recording(each, faulted) for each in report.requests]
    for text, spots in faulted.waiting.items():
        times = sum(spot in spots for spot in met)
        report.note(
            f"the fault {text} was met {counted(times, 'time')}"
            if times
            else f"the fault {text} was not met: the client did not ask for what it is about"
        )


def _about_the_recording(request: ReplayedRequest, faulted: Faulted) -> ReplayedRequest:
    if request.exchange is None:
        return request
    spot = request.exchange, request.message
    exchange, message = faulted.originals.get(spot, spot)
    return replace(request, exchange=exchange, message=message)


def _original(each: NotAsked, faulted: Faulted) -> Spot:
    spot = each.exchange, each.message
    return faulted.originals.get(spot, spot)
