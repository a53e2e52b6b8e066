"""Options of the commands that run a client many times."""

from collections.abc import Callable
from typing import Any

import click


def deadline_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """``--deadline``, in seconds; ``what`` says of what."""
    return click.option(
        "--deadline",
        "deadline_s",
        type=click.FloatRange(min=0.1, max=86_400),
        default=60.0,
        show_default=True,
        metavar="SECONDS",
        help=what,
    )
