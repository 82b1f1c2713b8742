"""Protocols: the narrow interfaces through which the stages use stores, models and sources."""
