"""From a context to an answer that cites it."""
