"""Formats: one module each, from the bytes of a file to a `ParsedFile`."""
