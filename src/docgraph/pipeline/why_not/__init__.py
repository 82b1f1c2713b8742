"""Explains why a node is in a context or not, and finds the smallest change that includes it."""
