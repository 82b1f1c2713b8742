-- name: branch_of
SELECT id, newest, oldest FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: count_change
UPDATE meta SET value = value + 1 WHERE key = 'changes';

-- name: pruned_documents
-- Versions that live in no snapshot from :oldest on.
SELECT ordinal FROM documents WHERE branch = :branch AND died <= :oldest;

-- name: drop_chunks
DELETE FROM vector_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND died <= :oldest);

-- name: drop_offers
DELETE FROM offers WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND died <= :oldest);

-- name: drop_claims
DELETE FROM claims WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND died <= :oldest);

-- name: drop_nodes
DELETE FROM document_nodes WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND died <= :oldest);

-- name: drop_documents
DELETE FROM documents WHERE branch = :branch AND died <= :oldest;

-- name: drop_relationships
DELETE FROM document_relationships WHERE branch = :branch AND died <= :oldest;

-- name: drop_snapshots
DELETE FROM snapshots WHERE branch = :branch AND number < :oldest;

-- name: set_oldest
UPDATE branches SET oldest = :oldest WHERE id = :branch;

-- name: drop_texts
DELETE FROM contents WHERE tenant = :tenant AND id NOT IN (SELECT content FROM documents);

-- name: drop_vectors
-- Vectors of summaries go too: they are in their nodes, and are made again if one changes.
DELETE FROM vectors
WHERE space IN (SELECT id FROM vector_spaces WHERE tenant = :tenant) AND id NOT IN (SELECT vector FROM vector_chunks);
