"""From a retrieval plan to evidence: reads planned text, never edges."""
