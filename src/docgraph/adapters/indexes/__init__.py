"""The packed index: vectors and posting lists in segments, searched with NumPy."""
