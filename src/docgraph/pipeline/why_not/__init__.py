"""From a node and a question to where it stands, and the smallest change that lets it in."""
