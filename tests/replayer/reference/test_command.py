"""``python -m replayer.reference``, recorded as any client is, and held against its recording."""
