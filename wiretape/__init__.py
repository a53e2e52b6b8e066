"""wiretape: what a coding agent and its model API really said to each other, kept on tape.

The rooms, in the order the data takes::

    wire ──▶ recorder/ ──▶ wiretape/ ──▶ replayer/       played back to the same client
                              │  └─────▶ inspector_web/  shown to a person
                              facts ▶ store ▶ reconstruct

``gateway/`` is the doorway that recorder and replayer share: the child command, its environment
and the certificate authority. ``wiretape/`` imports none of the others; they import it, and
never each other. Inside ``wiretape/`` only the store touches SQLite and only the commands touch
files and terminals; everything else is told the time and handed the bytes.
"""

__version__ = "0.1.0"
