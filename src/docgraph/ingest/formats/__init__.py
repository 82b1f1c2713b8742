"""One file per format: text in, what it says out."""
