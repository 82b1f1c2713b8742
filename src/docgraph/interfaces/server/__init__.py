"""What every network server shares: listening, connection limits, a pool of workers."""
