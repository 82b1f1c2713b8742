"""From seeds to a retrieval plan: reads edges, never text."""
