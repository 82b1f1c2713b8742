"""The store for many: a Postgres database with pgvector."""
