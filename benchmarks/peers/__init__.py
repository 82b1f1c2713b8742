"""Other libraries, each asked in its usual way over the same texts and vectors."""
