"""Measuring retrieval: flat and planned, side by side, on judged questions."""
