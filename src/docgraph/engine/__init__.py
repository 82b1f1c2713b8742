"""The engine: questions, content, administration and ingest jobs."""
