"""``wiretape diff``."""

import json
from pathlib import Path

import click

from wiretape.choosing import chosen_sessions
from wiretape.commands.diff_text import alone_line, comparison_json, comparison_lines
from wiretape.commands.ignore_files import ignore_option, ignored_beside
from wiretape.commands.options import json_option
from wiretape.commands.telling import tell
from wiretape.comparing.compare import compare_sessions
from wiretape.comparing.sessions import paired_sessions
from wiretape.reconstruct import sessions_of
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option(
    "--session",
    metavar="ID",
    help="Only this session of A, as `wiretape ls` names it (a start is enough).",
)
@click.option("--session-b", metavar="ID", help="Only this session of B.")
@ignore_option
@json_option
def diff(
    a: Path,
    b: Path,
    session: str | None,
    session_b: str | None,
    ignore: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare two sessions, turn by turn, request by request.

    A and B are tapes; the first place where they part stands on top, in the client's terms: input
    items, tools, instructions, headers, and what came back. Times do not count, and neither does
    what differs between any two runs, which is named. Ends with 1 where they differ. A tape may
    hold several sessions: each is compared with the one that belongs to it.

    \b
    wiretape diff bug.db replayed.db
    wiretape diff before.db after.db --ignore tools --ignore 'headers.x-*'
    wiretape diff bug.db bug.db --session 0199a --session-b 0199b
    """
    ignored = ignored_beside((a, b), ignore)
    with TapeReader(a) as reader_a, TapeReader(b) as reader_b:
        sessions_a, sessions_b = _chosen(reader_a, session), _chosen(reader_b, session_b)
        pairs = list(paired_sessions(sessions_a, reader_a, sessions_b, reader_b))
        comparisons = [
            compare_sessions(one, reader_a, other, reader_b, ignored)
            for one, other in pairs
            if one is not None and other is not None
        ]
    # Who chooses a session on one side does not ask for the others of the other side.
    alone = [
        (one, other)
        for one, other in pairs
        if (one is None and session is None) or (other is None and session_b is None)
    ]
    if as_json:
        document = {
            "a": str(a),
            "b": str(b),
            "equal": not alone and all(each.is_equal for each in comparisons),
            "sessions": [comparison_json(each) for each in comparisons],
            "only_a": [one.name for one, other in alone if one is not None],
            "only_b": [other.name for _, other in alone if other is not None],
            "ignored_nothing": list(ignored.unmatched()),
        }
        click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        for comparison in sorted(comparisons, key=lambda each: each.is_equal):
            for line in comparison_lines(comparison):
                click.echo(line)
        for pair in alone:
            click.echo(alone_line(pair, a, b))
    if not pairs:
        tell(f"neither {a} nor {b} holds a session: there is nothing to compare.")
    for sentence in ignored.unmatched():
        tell(sentence)
    return 1 if alone or not all(each.is_equal for each in comparisons) else 0


def _chosen(reader: TapeReader, wanted: str | None) -> list[Session]:
    found = sessions_of(reader)
    return chosen_sessions(found, () if wanted is None else (wanted,), reader.path)
