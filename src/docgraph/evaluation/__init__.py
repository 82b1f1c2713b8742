"""Evaluation of retrieval: flat search and pipelines on judged questions."""
