"""A fault as it is written: ``PLACE:ACTION[=ARGUMENT]``, read into a frozen value. Pure."""

from dataclasses import dataclass
from typing import Any

from replayer.faults.actions import ACTIONS, Action, Where
from wiretape.errors import UsageError
from wiretape.fault_places import Place, read_place


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: where, what, and what the action takes; ``text`` is how it was written."""

    text: str
    place: Place
    name: str
    argument: Any

    @property
    def action(self) -> Action[Any]:
        return ACTIONS[self.name]

    @property
    def takes_time(self) -> bool:
        """Whether it is a silence of a certain length."""
        return isinstance(self.argument, float)


def read_fault(text: str) -> Fault:
    """The fault that ``text`` says.

    Raises:
        UsageError: it says none; the message says what was wrong, and what would be right.
    """
    place, colon, what = text.partition(":")
    name, equals, argument = what.partition("=")
    try:
        if not colon:
            raise ValueError("it is written PLACE:ACTION, like 2.5:cut")
        action = ACTIONS.get(name)
        if action is None:
            raise ValueError(f"there is no action {name!r}, there are {', '.join(ACTIONS)}")
        where = read_place(place)
        _check_event(name, action, where)
        return Fault(text, where, name, action.read(argument if equals else None))
    except ValueError as error:
        raise UsageError(f"the fault {text!r} makes no sense: {error}.") from error


def _check_event(name: str, action: Action[Any], place: Place) -> None:
    if place.event == 0 and action.where in (Where.HANDSHAKE, Where.ANSWER):
        return
    if place.event is not None and action.where is not Where.LAST_EVENT:
        raise ValueError(f"{name} is about {action.where}: leave out .{place.event}")
    if place.event == 0 and action.needs_event:
        raise ValueError(f"{name} needs an event: the first one is 1")
