"""From evidence to a context that fits its token budget; no I/O."""
