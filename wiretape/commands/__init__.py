"""The commands that only read tapes, and where tapes lie."""
