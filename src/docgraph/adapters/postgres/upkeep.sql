-- name: tidy_up
-- So that what was removed does not lie about in its old place until the server finds the time.
VACUUM (ANALYZE) contents, vectors, documents, document_nodes, vector_chunks, offers, claims,
                 document_relationships, segments, postings;
