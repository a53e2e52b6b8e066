"""Two sessions side by side: which turn, request, attempt and event belongs to which, and where
they part.

``answers`` reads what came back for an attempt; ``left_out`` names what differs between any two
runs; ``compare`` puts a ``Comparison`` together; ``transports`` knows what is the transport's;
``pairs`` holds the values that commands print and pages draw; ``causes`` tells what follows from
what.

The rule: known-volatile parts are left out and named, ids must correspond one to one from the
first request to the last, and times do not count. A recording and its replay compare as equal;
so do two recordings of the same over different transports, which is told.
"""
