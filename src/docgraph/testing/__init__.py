"""Conformance suites for plug-in authors; pytest is imported here alone."""
