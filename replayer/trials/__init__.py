"""Many runs of one client, each on a recording of its own, by itself and with a deadline."""
