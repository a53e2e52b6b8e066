"""What of a recording is missing, told before it is played. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from replayer.actions import Action, Drop
from replayer.endings import ends_unknown
from replayer.script import RecordedExchange, Script
from wiretape.words import counted


def losses(script: Script, on_tape: Mapping[int, int] = MappingProxyType({})) -> Iterator[str]:
    """What is missing, and what a replay does about it; a sentence each. ``on_tape`` has the
    numbers on the tape of exchanges that have others here."""

    def named(numbers: Iterable[int]) -> str:
        return _exchanges(sorted({on_tape.get(number, number) for number in numbers}))

    if script.gaps:
        places = {gap.exchange for gap in script.gaps if gap.exchange is not None}
        where = f" (in {named(places)})" if places else ""
        yield (
            f"the recording has {counted(len(script.gaps), 'gap')}{where}: "
            "what was lost cannot be replayed"
        )
    if lost := [each.id for each in script.exchanges if _ends_as_lost(script, each)]:
        yield (
            f"the recording does not tell how {named(lost)} ended: after what is there, "
            "the connection will be closed, as if it were lost"
        )
    if torn := [each.id for each in script.exchanges if _is_torn(each)]:
        yield (
            f"what was asked in {named(torn)} is not whole on the tape: "
            "what the client asks will differ from it"
        )


def _ends_as_lost(script: Script, recorded: RecordedExchange) -> bool:
    exchange = recorded.exchange
    if not (ends_unknown(exchange) or script.gaps):
        return False
    if not exchange.is_websocket:
        return _is_lost(script.answer(recorded))
    socket = script.socket(recorded)
    asked = range(len(script.messages(recorded)))
    return _is_lost(socket.opening()) or any(_is_lost(socket.answer(each)) for each in asked)


def _is_lost(actions: Iterable[Action]) -> bool:
    return any(isinstance(each, Drop) and not each.is_recorded for each in actions)


def _is_torn(recorded: RecordedExchange) -> bool:
    exchange = recorded.exchange
    return recorded.is_request and not exchange.is_upgrade and not exchange.request_is_whole


def _exchanges(numbers: list[int]) -> str:
    first, *others = map(str, numbers)
    return f"exchanges {', '.join((first, *others))}" if others else f"exchange {first}"
