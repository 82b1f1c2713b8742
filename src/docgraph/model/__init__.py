"""Frozen values that every stage shares; no I/O."""
