"""Parses files in worker processes with limits on memory and CPU time."""
