"""From seeds to a plan: sees edges, never text."""
