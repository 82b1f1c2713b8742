"""The door for programs in Python: `docgraph.open(store)`."""
