"""Watching folders: each change is ingested, for `docgraph watch` and `docgraph serve --watch`."""
