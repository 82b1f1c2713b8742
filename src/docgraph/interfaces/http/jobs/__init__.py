"""Ingest jobs: claimed from the queue, run, and their leases renewed."""
