"""Models that run elsewhere, behind an OpenAI-compatible server."""
