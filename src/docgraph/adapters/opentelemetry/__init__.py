"""Spans for whoever watches over many requests."""
