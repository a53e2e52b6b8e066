"""What the documented client makes of the wire, and what it does next: a model of Codex.

In the order in which things happen to a turn::

    config      a config.toml ──▶ provider, features
    transport   which transport; the one-way switch to HTTP
    requests    a request ──▶ body, headers, the message on a socket
    wire        what happens: the inputs
    heads       response headers ──▶ client events, turn state
    decoding    an event's text ──▶ client event, failure or nothing, with
      items       which items can be read
      completed   the end of a response
      failed      response.failed
      wrapped     the error event on a WebSocket
    statuses    a status that is no success ──▶ failure
    streams     when a stream is over, and how
    retry       a failure ──▶ another try, the fallback, the end
    history     what the next try says of what was said
    session     what is kept from turn to turn
    turn        all of it together
    events, failures, actions   what comes out
    dialect, dialects           where versions of the client differ
    fixture     how the client reads a file in place of a response

Everything here is pure: no clock, no socket, no chance (jitter is an argument), and nothing about
tapes. "§" means document 002 unless another is named.
"""
