"""The smallest recording on which a client still shows a symptom.

Delta debugging, level by level: what may be left out is tried in halves, then in ever smaller
parts, until nothing more can be spared. The search is pure; only ``trials`` runs anything.
"""
