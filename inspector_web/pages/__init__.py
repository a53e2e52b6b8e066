"""The pages, one frozen dataclass for each template, made by pure functions.

A page holds what is shown and nothing about how; its JSON twin is the page itself. ``at_us`` is
microseconds since the tape began, everywhere; ``started_at_us`` is Unix time.
"""
