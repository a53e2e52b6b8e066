"""What went wrong on a tape, with evidence, and what to do about it.

In the data's order::

    reading    the events again, as the client that got them read them
    case       sessions, readings and gaps in one place, to ask questions of
    causes     why one attempt did not give what was wanted
    rules      one small function for each kind of finding, over
      attempts   how attempts ended
      requests   what retries came to
      calls      what became of tool calls
      growth     how a session grew
      recorder   what the recorder lost, and where it was cut off
    kinds      what a finding is
    advice     what each kind of finding means, and what to try, also by
      circumstances   what it came with: a close code, a status
    injected   what a replay let fail because it was asked to
    limits     how much is too much, and who says so
    diagnose   a tape in, a diagnosis out

It refuses to guess what the wire does not show. The invariant its tests keep: on a healthy session
it finds nothing, wherever the recording begins and stops; and what the recorder did not see is held
against nobody. ``tests/support/labelled*.py`` are recordings of known cause that it was made by,
``tests/support/unseen_runs.py`` some that it was not.
"""
