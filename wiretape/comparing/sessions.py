"""Which sessions of two tapes belong together."""

from collections.abc import Callable, Iterator, Sequence

from wiretape.comparing.compare import beginning
from wiretape.comparing.reading import Side
from wiretape.sessions import Session
from wiretape.store_reader import TapeReader

type SessionPair = tuple[Session | None, Session | None]
"""Two sessions that belong together; ``None`` where one stands alone."""


def paired_sessions(
    a: Sequence[Session], reader_a: TapeReader, b: Sequence[Session], reader_b: TapeReader
) -> Iterator[SessionPair]:
    """Sessions of the same id belong together, else those that begin with the same words, else
    those that began at the same place of their tapes. In the order of ``a``, then of ``b``.
    """
    openings_a = {each.number: beginning(Side(reader_a, each), each.requests) for each in a}
    openings_b = {each.number: beginning(Side(reader_b, each), each.requests) for each in b}

    def have_one_id(one: Session, other: Session) -> bool:
        return one.id is not None and one.id == other.id

    def begin_alike(one: Session, other: Session) -> bool:
        return openings_a[one.number] == openings_b[other.number]

    rules: tuple[Callable[[Session, Session], bool], ...] = (
        have_one_id,
        begin_alike,
        lambda *_: True,
    )
    partners: dict[int, Session] = {}
    for belong_together in rules:
        for one in a:
            taken = {each.number for each in partners.values()}
            free = (each for each in b if each.number not in taken)
            if one.number not in partners:
                found = next((each for each in free if belong_together(one, each)), None)
                if found is not None:
                    partners[one.number] = found
    taken = {each.number for each in partners.values()}
    yield from ((one, partners.get(one.number)) for one in a)
    yield from ((None, other) for other in b if other.number not in taken)
