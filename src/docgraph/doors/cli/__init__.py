"""The command line: `docgraph …`."""

from docgraph.doors.cli.main import main

__all__ = ["main"]
