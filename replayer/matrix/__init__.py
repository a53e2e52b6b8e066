"""One client, many faults: what it does about each of them, as a table.

sets       names of sets of faults, and files of them
last_words the last thing that a client had to say
rows       a run ──▶ a row of the table
runs       a fault ──▶ a run of the client in a home of its own
"""
