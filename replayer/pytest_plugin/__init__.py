"""The pytest plugin: a test asks for ``wiretape_replay``, and its model answers from a tape.

``hooks`` is what pytest loads, in every run of everybody who has wiretape installed: so it
imports little, and the rest only when a test wants it. ``choices`` decides which tape, and whether
it is to be recorded; ``staging`` puts a model up and leads the test's clients to it; ``background``
replays the tape (``in_thread``), ``recording`` records it; ``taped_model`` is what the test holds
in its hands; ``guard`` keeps the test on this machine.
"""
