"""Other libraries, each used in its usual way with the same texts and vectors."""
