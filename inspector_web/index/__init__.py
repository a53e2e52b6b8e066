"""What is worked out of a tape once and kept, so that a page need not read all of it.

An index is derived: it says nothing that its tape does not, and can be dropped at any time. It
cuts each exchange into blocks of some hundred events and keeps, for each, where on the tape it
begins, which types of event are in it, when the server spoke, and which letters follow on one
another in its texts. The events themselves stay on the tape. It grows as its tape does, by
appending; sessions and findings are kept beside it and made anew.

The invariant tests keep: what is read through an index is what reading the whole tape gives.
"""
