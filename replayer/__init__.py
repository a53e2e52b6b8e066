"""Plays a recording back to the client that made it, offline, the same way every time."""
