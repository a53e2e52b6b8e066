"""Faults: what would the client do if the server had failed here?

A fault is done to the recording before it is played, never by the player or the server::

    arguments  what stands behind "="
    spec       "2.5:cut"  ──▶ a fault: its place (``wiretape.fault_places``), its action, what
                              the action takes
    answer     what the server did about one attempt, to be bent
    actions    the table of actions: answer ──▶ answer
    parts      an exchange ⇄ what was asked in it, each with its answer
    applying   parts + the faults of one attempt ──▶ parts
    planning   faults + sessions ──▶ what is to be done to which attempt
    spares     answers for the tries that the client may make after a fault
    bending    recording + faults ──▶ recording, and which of its requests stand for which
    telling    what a report says of it

Everything here is pure.
"""
