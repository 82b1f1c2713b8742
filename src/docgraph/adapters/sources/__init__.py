"""Sources that an ingest reads: folders, git commits, JSON lines."""
