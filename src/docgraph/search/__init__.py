"""From a question to seeds: ids and scores, never text."""
