"""The tools, one in each file: what it takes, what it gives, what it does."""
