"""Benchmarks: ratios taken in one run, never asserted in a test. `make bench` runs them."""
