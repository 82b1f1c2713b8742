"""From evidence to a context that fits its budget: pure."""
