"""The archived Chat Completions wire, as the documented client spoke it before it was removed.

In the data's order::

    endpoint    which path, which output mode, no compression
    request     a prompt ──▶ body and headers, out of
      anchors     where reasoning is attached
      messages    conversation items ──▶ chat messages
    stream      SSE data ──▶ client events, with
      chunks      one chunk by itself
      tool_calls  call fragments ──▶ whole calls
    aggregate   client events ──▶ one message a turn
    response    an answer that was not streamed ──▶ items and a finish
      items       the items that the chat wire is turned into
      texts       the texts in a delta or a message
      shapes      reading JSON of unknown shape

Everything here is told what the wire said and says what the client made of it: no clock, no
socket, and nothing about tapes. "§" in this room is a section of document 000; its sections
after the removal notice are numbered as in its archived part.
"""
