"""Does the faults of one attempt to the parts of the exchange that it was asked in. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from replayer.faults.actions import Over, Where
from replayer.faults.answer import HEAD, Answer, text_of
from replayer.faults.parts import Part
from replayer.faults.spec import Fault
from wiretape.events import event_type


def with_faults(
    parts: Sequence[Part], index: int, faults: Sequence[Fault], over: Over
) -> tuple[Part, ...]:
    """The parts after the faults of the attempt whose answer is part ``index``.

    Raises:
        ValueError: one of them cannot be on this attempt; the message says why.
    """
    bent = list(parts)
    placed = [(_part_meant(fault, index, over), fault) for fault in faults]
    for target in {target for target, _ in placed}:
        answer = parts[target].answer
        meant = [(_spot(answer, each), each) for at, each in placed if at == target]
        # From the end, so that no fault moves the place of another.
        for at, fault in sorted(meant, key=lambda pair: pair[0], reverse=True):
            answer = fault.action.bend(answer, at, fault.argument)
        done = (*parts[target].faults, *(fault for _, fault in meant))
        bent[target] = replace(parts[target], answer=answer, faults=done)
    return tuple(bent)


def _part_meant(fault: Fault, index: int, over: Over) -> int:
    """Which part the fault is about, for an attempt whose answer is part ``index``: that, or the
    handshake of its WebSocket.

    Raises:
        ValueError: it cannot be on this attempt; the message says why.
    """
    action = fault.action
    if action.over not in (Over.BOTH, over):
        raise ValueError(f"{fault.name} is for {action.over}, and this was asked over {over}")
    if action.where is not Where.HANDSHAKE and fault.place.event != 0:
        return index
    if index > 1:
        raise ValueError(
            "it was asked on a socket that was open already, so there is no handshake: "
            "name the first request on it, or a later attempt"
        )
    return 0


def _spot(answer: Answer, fault: Fault) -> int:
    """Where in the answer the fault hits."""
    action, event, events = fault.action, fault.place.event, answer.events
    if action.over is Over.WEBSOCKET and action.where is Where.LAST_EVENT:
        if not answer.is_websocket:
            raise ValueError("its handshake was refused in the recording: there is no socket")
    elif action.where in (Where.HANDSHAKE, Where.ANSWER) or event == 0:
        return HEAD
    match event:
        case None if action.where is Where.FIRST_BYTE:
            return 0 if answer.head is None else HEAD
        case None if events:
            return events[-1]
        case None if not action.needs_event:
            return len(answer.pieces)
        case int() if event <= len(events):
            return events[event - 1]
        case str():
            named = (at for at in events if event_type(text_of(answer.pieces[at]) or "") == event)
            if (found := next(named, None)) is not None:
                return found
    raise ValueError(_no_event(answer, event))


def _no_event(answer: Answer, event: int | str | None) -> str:
    texts = [text_of(answer.pieces[at]) or "" for at in answer.events]
    if not texts:
        return "its recorded answer has no events"
    if isinstance(event, str):
        types = dict.fromkeys(kind for text in texts if (kind := event_type(text)))
        return f"its recorded answer has no {event}: it has {', '.join(types)}"
    return f"its recorded answer has {len(texts)} events"
