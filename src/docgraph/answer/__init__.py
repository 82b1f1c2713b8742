"""Answer: from a context to sentences that cite it."""
