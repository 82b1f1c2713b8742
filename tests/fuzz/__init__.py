"""Hostile input: every parser of foreign bytes accepts it or refuses it with a message.

`make prove` runs 10,000 cases of each.
"""
