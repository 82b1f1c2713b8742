"""The command line, one module per group of commands; it begins in `main`."""
