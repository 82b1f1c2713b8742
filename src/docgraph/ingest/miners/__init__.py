"""Relation miners: each reads one document, claims what it names, decides nothing."""
