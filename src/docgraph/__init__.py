"""docgraph: evidence for language models, with a proof for every piece of it."""

__version__ = "0.1.0"
