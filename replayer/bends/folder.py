"""A recording as if the client had worked in another folder. Pure."""

from dataclasses import replace

from wiretape.facts import Fact, Piece, RequestBody, Sender
from wiretape.recording import Bend, Recording, with_facts


def in_folder(recorded: str, other: str) -> Bend:
    """Lets the client speak of the ``other`` folder wherever it spoke of the ``recorded`` one."""

    def moved(fact: Fact) -> Fact:
        match fact:
            case RequestBody(data=data) | Piece(sender=Sender.CLIENT, data=data):
                return replace(fact, data=data.replace(recorded.encode(), other.encode()))
            case _:
                return fact

    def bend(recording: Recording) -> Recording:
        exchanges = tuple(with_facts(each, moved) for each in recording.exchanges)
        return replace(recording, exchanges=exchanges)

    return bend
