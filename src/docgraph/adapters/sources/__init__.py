"""Where ingestion reads from."""
