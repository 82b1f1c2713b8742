"""The HTTP interface to the engine."""
