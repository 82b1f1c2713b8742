"""The command line: one file per command; it begins in `main`."""
