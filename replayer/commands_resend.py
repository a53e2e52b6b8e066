"""``wiretape resend``."""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from wiretape.commands.options import json_option
from wiretape.facts import Headers, header
from wiretape.store_reader import TapeReader


class Header(click.ParamType[tuple[str, str]]):
    """``NAME=VALUE``. The value may be secret, and is in no message."""

    name = "NAME=VALUE"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        name, equals, said = str(value).partition("=")
        if not equals or not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
            self.fail("this is no header: give NAME=VALUE.", param, ctx)
        return name, said


@click.command()
@click.argument("tape", type=click.Path(path_type=Path))
@click.option(
    "--request",
    "number",
    type=int,
    required=True,
    metavar="N",
    help="The number of the request in its session, as `wiretape show` counts.",
)
@click.option(
    "--to",
    "upstream",
    required=True,
    metavar="URL",
    help="The upstream: a base URL, or without a path, the recorded path there.",
)
@click.option(
    "--session",
    metavar="ID",
    help="The session of the request, as `wiretape ls` names it (a start is enough).",
)
@click.option(
    "--header",
    "headers",
    type=Header(),
    multiple=True,
    help="Add a header, or replace the recorded one. Repeatable.",
)
@json_option
def resend(
    tape: Path,
    number: int,
    upstream: str,
    session: str | None,
    headers: tuple[tuple[str, str], ...],
    as_json: bool,
) -> int:
    """Ask a live upstream what was asked on TAPE.

    Sends one recorded request there and compares the shapes of the answers: status, types of the
    events in order, items, fields of the usage, end. Where they differ, the exit code is 1.
    Secrets are on no tape: unless a --header says otherwise, the authorization is the
    environment's OPENAI_API_KEY.

    \b
    wiretape resend bug.db --request 2 --to https://api.openai.com/v1
    """
    # The libraries of a real client take long to load; `wiretape --help` need not wait for them.
    from replayer.reference.resend import find_request
    from replayer.reference.resend import resend as run_resend

    with TapeReader(tape) as reader:
        found, act = find_request(reader, number, session)
        resent = asyncio.run(run_resend(found, act, upstream, _authorized(headers, os.environ)))
    if as_json:
        click.echo(json.dumps(resent.as_json(), indent=2, ensure_ascii=False))
    else:
        for line in resent.lines():
            click.echo(line)
    return 1 if resent.differs_in else 0


def _authorized(headers: Headers, environment: Mapping[str, str]) -> Headers:
    key = environment.get("OPENAI_API_KEY")
    if not key or header(headers, "authorization") is not None:
        return headers
    return (*headers, ("authorization", f"Bearer {key}"))
