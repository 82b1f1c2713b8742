"""Interfaces authenticate callers and translate requests and results for the engine."""
