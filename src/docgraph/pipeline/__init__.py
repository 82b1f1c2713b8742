"""YAML to a checked pipeline to a traced run."""
