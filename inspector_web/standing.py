"""How what a page shows stands to its tape: whether more comes to it, and whether all is shown."""

from dataclasses import dataclass

from inspector_web.readings import Look
from wiretape.store_presence import Writing
from wiretape.store_reader import TapeReader


@dataclass(frozen=True, slots=True)
class Standing:
    """``is_behind``: the tape has grown since its sessions and findings were worked out.
    ``as_of_us``: then it was read, in microseconds since 1970. ``is_read``: they have been, to the
    end."""

    writing: Writing
    is_read: bool
    is_behind: bool
    as_of_us: int | None

    @property
    def will_change(self) -> bool:
        """Whether there will be more to show."""
        return not self.is_read or self.is_behind or self.writing is Writing.GOES_ON


def standing_of(reader: TapeReader, look: Look) -> Standing:
    """How what is known of a tape stands to it."""
    as_of_us = look.as_of_us if look.is_behind else None
    return Standing(reader.writing(), look.edition is not None, look.is_behind, as_of_us)
