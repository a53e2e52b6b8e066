"""Scripts: recordings as text that people read, compare and write.

A script is YAML, in which what crossed the wire stands as JSON where it is JSON. It holds all
that a recording holds, so it can be made of any recording and gives it back; and what a script
leaves out has a likely value, so that ten lines are enough for a model that answers. The format
is described in ``docs/scripts.md`` and, for programs, in ``schema.json``.

``layout`` reads the YAML, and ``items`` what needs none; ``payloads`` knows the short forms,
``reading`` and ``writing`` turn text into recordings and back. Pure: files are the store's
business.

Invariant: ``read_script(write_script(recording)) == recording``.
"""
