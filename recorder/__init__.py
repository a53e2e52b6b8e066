"""Captures what crosses the wire onto a tape, and never harms the traffic it watches."""
