"""Options that make no sense together, as data: each is refused before anything runs.

An option that would be left without an effect is never passed over in silence.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

import click

from wiretape.errors import UsageError

NO_COMMAND: Final = "no COMMAND"


@dataclass(frozen=True, slots=True)
class Clash:
    """Choices of which at least one would come to nothing. ``why`` says that, and what to do.

    A choice is an option that is not at its default (``--strict``), an option and its value
    (``--via fixture``), one that is at its default (``no --speed``), or :data:`NO_COMMAND`.
    """

    choices: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        *first, last = self.choices
        return f"{', '.join(first)} and {last} do not go together: {self.why}."


def _through_the_hook(option: str, why: str) -> Clash:
    return Clash(("--via fixture", option), why)


_UNSEEN: Final = "the hook does not show what the client asks; use --via proxy"
_AT_ONCE: Final = "through the hook each answer comes whole and at once; use --via proxy"
_NOT_OVER_THE_HOOK: Final = "the hook stands in for HTTP, not for a WebSocket"

CLASHES: Final[Mapping[str, tuple[Clash, ...]]] = {
    "replay": (
        _through_the_hook(NO_COMMAND, "the hook is in the client; put its command behind `--`"),
        _through_the_hook("--strict", _UNSEEN),
        _through_the_hook("--ignore", _UNSEEN),
        _through_the_hook("--output", _UNSEEN),
        _through_the_hook("--speed", _AT_ONCE),
        _through_the_hook("--longest-silence", _AT_ONCE),
        _through_the_hook("--fault", _AT_ONCE),
        _through_the_hook("--transport websocket", f"{_NOT_OVER_THE_HOOK}; use --via proxy"),
        Clash(
            ("--longest-silence", "no --speed", NO_COMMAND),
            "without a speed there are no silences to shorten, and without a COMMAND nobody "
            "whose patience could be; give one of them",
        ),
    ),
    "export": (
        Clash(("--to script", "--lossy"), "a script holds everything; leave --lossy out"),
        Clash(("--to fixture", "--transport websocket"), f"{_NOT_OVER_THE_HOOK}; use --to script"),
    ),
}
"""What each command refuses, by its name."""


def refuse_clashes(context: click.Context) -> None:
    """Looks at what a command was given.

    Raises:
        UsageError: two choices or more do not go together.
    """
    chosen = frozenset(chain.from_iterable(_choices(context)))
    for clash in CLASHES[str(context.info_name)]:
        if chosen.issuperset(clash.choices):
            raise UsageError(str(clash))


def _choices(context: click.Context) -> Iterator[Collection[str]]:
    for parameter in context.command.params:
        value = context.params.get(str(parameter.name))
        if parameter.name == "command" and not value:
            yield (NO_COMMAND,)
        if isinstance(parameter, click.Option):
            name = max(parameter.opts, key=len)
            # None, no and nothing named are what every option without a default begins with.
            is_chosen = bool(value) and value != parameter.default
            yield (f"{name} {value}", name if is_chosen else f"no {name}")
