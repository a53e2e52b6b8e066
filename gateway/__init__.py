"""The doorway between a wrapped command and us: its environment, its signals, its certificates.

Shared by recorder and replayer, which both run a command behind a proxy. Knows nothing of tapes.
"""
