"""What two tapes are compared by: who asked what in which order, and what the server sent."""

from pathlib import Path

from wiretape.facts import PieceKind, Sender
from wiretape.scope import Purpose, purpose_of
from wiretape.store_reader import Exchange, TapeReader


def order_of_requests(tape: Path) -> list[str]:
    """The requests to the model by time: ``"http POST /v1/responses 200"`` and the like."""
    with TapeReader(tape) as reader:
        found = []
        for exchange in _to_the_model(reader):
            request = exchange.request
            status = exchange.response.status if exchange.response else None
            found.append((request.at_us, f"{request.method} {request.target} {status}"))
            if exchange.is_websocket:
                found += [
                    (piece.at_us, f"message {piece.data[:24].decode()}")
                    for piece in reader.pieces(exchange.id)
                    if piece.sender is Sender.CLIENT and piece.kind is PieceKind.TEXT
                ]
    return [what for _, what in sorted(found, key=lambda pair: pair[0])]


def server_bytes(tape: Path) -> list[bytes | list[tuple[PieceKind, bytes]]]:
    """What the server sent, exchange by exchange: a body's bytes, or a socket's messages."""
    with TapeReader(tape) as reader:
        found: list[bytes | list[tuple[PieceKind, bytes]]] = []
        for exchange in _to_the_model(reader):
            pieces = [
                piece for piece in reader.pieces(exchange.id) if piece.sender is Sender.SERVER
            ]
            if exchange.is_websocket:
                found.append([(piece.kind, piece.data) for piece in pieces])
            else:
                found.append(b"".join(piece.data for piece in pieces))
    return found


def _to_the_model(reader: TapeReader) -> list[Exchange]:
    return [
        exchange
        for exchange in reader.exchanges()
        if purpose_of(
            exchange.request.method, exchange.request.target, is_upgrade=exchange.is_upgrade
        )
        not in (None, Purpose.MODELS)
    ]
