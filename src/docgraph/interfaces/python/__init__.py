"""The interface for programs in Python: `docgraph.open(store)`."""
