-- name: branch_of
SELECT id, newest, oldest FROM branches
WHERE tenant = %(tenant)s AND repository = %(repository)s AND name = %(name)s;

-- name: count_change
INSERT INTO changes (tenant, value)
SELECT %(tenant)s, 1
FROM pg_advisory_xact_lock(hashtextextended('docgraph classes ' || %(tenant)s, 0))
ON CONFLICT (tenant) DO UPDATE SET value = changes.value + 1;

-- name: pruned_documents
-- Versions that live in no snapshot from %(oldest)s on.
SELECT ordinal FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s;

-- name: drop_chunks
DELETE FROM vector_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s);

-- name: drop_offers
DELETE FROM offers WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s);

-- name: drop_claims
DELETE FROM claims WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s);

-- name: drop_nodes
DELETE FROM document_nodes WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s);

-- name: drop_documents
DELETE FROM documents WHERE branch = %(branch)s AND died <= %(oldest)s;

-- name: drop_relationships
DELETE FROM document_relationships WHERE branch = %(branch)s AND died <= %(oldest)s;

-- name: drop_snapshots
DELETE FROM snapshots WHERE branch = %(branch)s AND number < %(oldest)s;

-- name: set_oldest
UPDATE branches SET oldest = %(oldest)s WHERE id = %(branch)s;

-- name: drop_texts
DELETE FROM contents AS c
WHERE c.tenant = %(tenant)s AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.content = c.id);

-- name: drop_vectors
-- Vectors of summaries go too: they are in their nodes, and are made again if one changes.
DELETE FROM vectors AS v
WHERE v.space IN (SELECT id FROM vector_spaces WHERE tenant = %(tenant)s)
  AND NOT EXISTS (SELECT 1 FROM vector_chunks AS c WHERE c.vector = v.id);
