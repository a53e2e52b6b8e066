"""The documented client as a program: the pure model of ``wiretape.client`` on real sockets.

In the order in which a run needs them::

    user, wires     what the client does not decide itself: what is asked, what tools give;
                    what it talks over
    client          performs what the model wants, tells it what happens
    conversation    what the next request repeats
    sockets         the wire that is real: httpx and websockets
      breakages     how their failures are called by the model
    command         python -m replayer.reference, which is called and prints as ``codex exec``

and to hold a recording against it::

    happenings      recorded facts ──▶ what happened to the client
    recorded        a session of a tape: its requests, in order
    remembered      the user, and the wire, that a recording stands for
    rehearsal       the client on that wire: what it saw and did, or where it would not have
    budgets         which configuration the recorded client had, as far as it shows
    verify          the client on sockets against the player, held against the rehearsal
    shape, resend   one recorded request asked of a live upstream

No rule of the client is decided here, with one exception: document 004's, in ``conversation``.
"""
