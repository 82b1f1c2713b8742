"""Benchmarks: ratios measured within one run, never asserted in a test. `make bench` runs them."""
