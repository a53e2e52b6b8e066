"""Recordings of known cause, written out: what went wrong in each, as the kinds to be found."""

from importlib import import_module

from labelled_recording import LABELLED, Labelled

__all__ = ("LABELLED", "Labelled")

# Each adds its own to the set.
for _part in ("healthy", "ends", "said", "rounds", "gaps"):
    import_module(f"labelled_{_part}")
