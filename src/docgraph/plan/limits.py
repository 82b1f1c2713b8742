"""The bounds of every plan, in one place."""

DOCUMENTS = 6
SEED_PLACES = 3
DEEPEST = 5
MOST_NODES = 500
