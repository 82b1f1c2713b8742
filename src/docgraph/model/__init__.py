"""Frozen values: the words every room speaks."""
