"""HTTP: the engine for those who are elsewhere. Nothing is decided here but who is coming in."""
