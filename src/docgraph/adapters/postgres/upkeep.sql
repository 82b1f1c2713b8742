-- name: take_the_time
SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '2s', false);

-- name: lock_time_as_before
RESET lock_timeout;

-- name: time_as_before
RESET statement_timeout;

-- name: has_grown
-- By half since its rows were last counted, and then by more than a few: what the planner believes
-- would be wrong until the server counts by itself, and it takes its time.
SELECT 1 FROM pg_class
WHERE oid = ANY ('{documents,document_nodes,claims,offers,segments,postings}'::regclass[])
  AND pg_relation_size(oid) > 1.5 * 8192 * greatest(relpages, 0) + 100000
LIMIT 1;

-- name: count_anew
ANALYZE contents, vectors, documents, document_nodes, vector_chunks, offers, claims,
        document_relationships, segments, postings;

-- name: tidy_up
-- So that what was removed does not lie about in its old place until the server finds the time.
VACUUM (ANALYZE) contents, vectors, documents, document_nodes, vector_chunks, offers, claims,
                 document_relationships, segments, postings;
