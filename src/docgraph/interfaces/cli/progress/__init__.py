"""Progress of long work on standard error: a display on a terminal, plain lines, or JSON."""
