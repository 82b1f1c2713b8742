"""From a plan to evidence: sees planned text, never edges."""
