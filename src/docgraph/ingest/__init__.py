"""Ingestion: reads a source's files and writes a snapshot of documents, references and vectors."""
