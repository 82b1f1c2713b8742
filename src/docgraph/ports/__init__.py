"""Protocols: the narrow windows through which rooms see the world."""
