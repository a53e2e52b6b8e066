"""``wiretape inspect``."""

import os
import secrets
from pathlib import Path
from typing import Final

import click
from platformdirs import user_cache_path

from wiretape.commands.options import Address
from wiretape.commands.places import recordings_folder
from wiretape.facts import host_in_url
from wiretape.store_reader import TapeReader

USUAL_PORT: Final = 9473
"""Where an inspector is unless told otherwise, so that links and bookmarks stay good: WIRE, on the
keys of a telephone. Systems hand out ports from 32768 on by themselves."""


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH ...]")
@click.option(
    "--listen",
    type=Address(),
    help=f"Where to listen; port 0 is any free one.  [default: 127.0.0.1:{USUAL_PORT}, or a free "
    "port where that is taken]",
)
def inspect(paths: tuple[Path, ...], listen: tuple[str, int] | None) -> int:
    """Show tapes in your browser, until you stop it.

    PATH is a tape, or a folder of them. Without it: the folder that `wiretape record` uses.
    Its address is the same each time, so that links to a page stay good.
    On any address but this machine's own, the browser needs the token that is printed.

    \b
    wiretape inspect
    wiretape inspect bug.db
    wiretape inspect recordings/ --listen 127.0.0.1:8080
    wiretape inspect --listen :0
    """
    # Flask takes a while to import; `wiretape --help` need not wait for it.
    from inspector_web.access import Access, only_this_machine_reaches
    from inspector_web.app import create_app
    from inspector_web.library import Library
    from inspector_web.reachable import reachable_by
    from inspector_web.serve import listening, serve, usual_listener

    for path in paths:
        if path.is_file():
            # What is named must be a tape; in a folder, what is none is shown as such.
            TapeReader(path).close()
    folder = recordings_folder(os.environ)
    library = Library(paths or ((folder,) if folder.is_dir() else ()))
    host, port = listen or ("127.0.0.1", USUAL_PORT)
    listener = listening(host, port) if listen else usual_listener(host, port)
    if listen is None and listener.getsockname()[1] != port:
        click.echo(
            f"wiretape: port {port}, the usual one, is taken, perhaps by another inspector: this "
            "one is at a free port, and links to it end with it.",
            err=True,
        )
    token = None if only_this_machine_reaches(host) else secrets.token_urlsafe(32)
    hosts, port = reachable_by(listener), listener.getsockname()[1]
    url, *others = (f"http://{host_in_url(each)}:{port}/" for each in hosts)

    def tell() -> None:
        where = ", ".join(map(str, paths)) or str(folder)
        click.echo(f"wiretape: the tapes in {where} are shown at {url}", err=True)
        if token is not None:
            click.echo(f"wiretape: the first time, open {url}?token={token}", err=True)
        if others:
            also = ", ".join(others)
            click.echo(f"wiretape: it is also at {also}, with the same token", err=True)
        click.echo("wiretape: Ctrl-C ends it.", err=True)

    indexes = user_cache_path("wiretape") / "inspector"
    serve(create_app(library, Access(host, token, hosts), indexes), listener, tell)
    return 0
