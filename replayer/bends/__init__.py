"""Bends: functions from recordings to recordings, which a replay or an export may be given."""
