"""Miners: each finds one kind of references in one document, without looking at others."""
