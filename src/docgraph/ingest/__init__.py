"""Ingest: reads the files of a source and writes a snapshot of documents, references, vectors."""
