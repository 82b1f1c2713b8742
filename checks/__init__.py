"""Checks of the project besides its tests."""
