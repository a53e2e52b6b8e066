"""Chat recordings for clients that speak the Responses API only.

What an old provider said over the chat wire, as the documented client understood it, is said
again as events of a response, at the same times and with the same end::

    answers     what the chat wire said ──▶ events of a response
    asked       what was asked, on either wire ──▶ what both can say
    bending     recording ──▶ recording

Everything here is pure; how the chat wire is read is said in ``wiretape.chat``.
"""
