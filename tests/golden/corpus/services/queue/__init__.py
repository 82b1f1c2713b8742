"""The queue of uploads."""
