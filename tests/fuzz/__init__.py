"""Hostile input: every reader of foreign bytes takes it or refuses it in words.

`make prove` runs 10,000 cases of each.
"""
