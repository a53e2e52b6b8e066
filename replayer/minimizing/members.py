"""The members of events, by name and depth: to be left out wherever they stand. Pure."""

import json
from collections.abc import Iterator, Set
from dataclasses import replace
from typing import Any

from replayer.faults.answer import text_of, with_text
from replayer.faults.parts import parts_of, put_together
from wiretape.facts import Piece
from wiretape.jsontext import JsonObject, Unparsable, parse_object
from wiretape.recording import WholeExchange

type Path = tuple[int | str, ...]


def members_of(exchange: WholeExchange, depth: int) -> Iterator[Path]:
    """The names of members ``depth`` objects down, but the type that makes an event one."""
    for part in parts_of(exchange):
        for piece in part.answer.pieces:
            if (event := _event(piece)) is not None:
                yield from _paths(event, depth, ())


def with_members(exchange: WholeExchange, depth: int, kept: Set[Path]) -> WholeExchange:
    """The exchange without all other members at that depth."""
    parts = parts_of(exchange)
    bent = [
        replace(
            part,
            answer=part.answer.with_pieces(
                *(_bent(piece, depth, kept) for piece in part.answer.pieces)
            ),
        )
        for part in parts
    ]
    return exchange if tuple(bent) == parts else put_together(exchange, bent)


def _bent(piece: Piece, depth: int, kept: Set[Path]) -> Piece:
    event = _event(piece)
    if event is None:
        return piece
    rest = _only(event, depth, (), kept)
    if rest == event:
        return piece
    return with_text(piece, json.dumps(rest, ensure_ascii=False, separators=(",", ":")))


def _event(piece: Piece) -> JsonObject | None:
    """What an event says, of those that have a type."""
    text = text_of(piece)
    said = None if text is None else parse_object(text)
    return None if said is None or isinstance(said, Unparsable) or "type" not in said else said


def _paths(value: Any, depth: int, above: Path) -> Iterator[Path]:
    if isinstance(value, dict):
        for name, inner in value.items():
            path = (*above, name)
            if len(path) < depth:
                yield from _paths(inner, depth, path)
            elif path != ("type",):
                yield path


def _only(value: Any, depth: int, above: Path, kept: Set[Path]) -> Any:
    if not isinstance(value, dict):
        return value
    if len(above) + 1 < depth:
        return {name: _only(inner, depth, (*above, name), kept) for name, inner in value.items()}
    return {
        name: inner
        for name, inner in value.items()
        if (*above, name) in kept or (*above, name) == ("type",)
    }
