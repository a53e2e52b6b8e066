"""The documented client as a program: the pure model of ``wiretape.client`` on real sockets.

In the order in which a run needs them::

    user, wires     what the client does not decide itself: what is asked, what tools give;
                    what it talks over
    client          performs what the model wants, tells it what happens
    conversation    what the next request repeats
    sockets         the wire that is real: httpx and websockets
    breakages       how their failures are called by the model
    task, printing  python -m replayer.reference, which is called and prints as ``codex exec``

and to hold a recording against it::

    happenings      recorded facts ──▶ what happened to the client
    acts, recorded  a session of a tape: what the client did, in order
    remembered      what its requests say of the user and of the tools
    recorded_wire   the wire that a recording stands for
      asking        what is asked, held against what was recorded in its place
    rehearsal       the client on that wire ──▶ steps: what it saw and did
    budgets         which configuration the recorded client had, as far as it shows
    verify          the client on sockets against the player, held against the rehearsal
    verdicts, words    what is said of that
    shape, resend   one recorded request asked of a live upstream

No rule of the client is decided here, with one exception: document 004's, in ``conversation``.
"""
