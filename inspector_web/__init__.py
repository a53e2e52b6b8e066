"""Shows tapes to a person in a browser: what was asked, what failed, where the time went.

Reads tapes and never writes one. Pages are frozen dataclasses made by pure functions from what
the core reconstructs; a template lays one out, and its JSON twin is the same object. Everything
recorded is hostile text: it is shown, never run.
"""
