"""Pipelines: loaded from YAML, validated, run and traced."""
