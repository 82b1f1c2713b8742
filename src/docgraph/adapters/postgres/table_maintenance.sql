-- Statistics and deleted rows, after an ingest or a prune.

-- name: disable_timeouts
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '2s', false);

-- name: reset_lock_timeout
RESET lock_timeout;

-- name: reset_statement_timeout
RESET statement_timeout;

-- name: find_grown_table
-- By half, and by more than a few rows, since the last ANALYZE: the planner's statistics are wrong
-- until autovacuum runs.
SELECT 1 FROM pg_class
WHERE oid = ANY ('{documents,document_nodes,node_references,definitions,segments,postings,
                   document_embeddings,node_vectors,chunk_vectors}'::regclass[])
  AND pg_relation_size(oid) > 1.5 * 8192 * greatest(relpages, 0) + 100000
LIMIT 1;

-- name: analyze
ANALYZE contents, vectors, documents, document_nodes, vector_chunks, document_embeddings,
        summary_vectors, node_vectors, chunk_vectors, definitions, node_references,
        stated_relationships, segments, postings;

-- name: vacuum
-- Removes deleted rows from the files now, not when autovacuum runs.
VACUUM (ANALYZE) contents, vectors, documents, document_nodes, vector_chunks, document_embeddings,
                 summary_vectors, node_vectors, chunk_vectors, definitions, node_references,
                 stated_relationships, segments, postings;
