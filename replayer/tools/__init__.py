"""Tools without side effects: shell calls that print what they gave, instead of running again.

A call is rewritten everywhere on the tape: in the answer that makes it, and in the requests that
repeat it. So the client runs a harmless command, says again what it was told, and that is what
the recording says::

    printed     a recorded output ──▶ what the command printed, and its exit code
    shortened   an output that was cut ──▶ what is cut to the same again
    calls       a call, and what to print ──▶ the call that prints it
    planning    recording ──▶ which calls become which, and which cannot be rewritten
    rewriting   recording ──▶ recording

Everything here is pure.
"""
