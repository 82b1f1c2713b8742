-- Pruning: what lives in no snapshot that is kept.

-- name: branch_of
SELECT id, newest, oldest FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

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
DELETE FROM contents AS c
WHERE c.tenant = :tenant AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.content = c.id);

-- name: drop_vectors
-- Vectors of summaries go too: they are in their nodes, and are made again if one changes.
DELETE FROM vectors AS v
WHERE v.space IN (SELECT id FROM vector_spaces WHERE tenant = :tenant)
  AND NOT EXISTS (SELECT 1 FROM vector_chunks AS c WHERE c.vector = v.id);

-- Verification: each query counts rows that must not be there; verify.py says what it means.

-- name: nodes_of_nothing
SELECT count(*) FROM document_nodes AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.ordinal = one.document);

-- name: chunks_of_nothing
SELECT count(*) FROM vector_chunks AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.ordinal = one.document);

-- name: offers_of_nothing
SELECT count(*) FROM offers AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.ordinal = one.document);

-- name: claims_of_nothing
SELECT count(*) FROM claims AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.ordinal = one.document);

-- name: texts_missing
SELECT count(*) FROM documents AS one WHERE NOT EXISTS
    (SELECT 1 FROM contents AS other WHERE other.id = one.content);

-- name: vectors_missing
SELECT count(*) FROM vector_chunks AS one WHERE NOT EXISTS
    (SELECT 1 FROM vectors AS other WHERE other.id = one.vector);

-- name: postings_of_nothing
SELECT count(*) FROM postings AS one WHERE NOT EXISTS
    (SELECT 1 FROM segments AS other WHERE other.id = one.segment);

-- name: chunks_without_node
SELECT count(*) FROM vector_chunks AS c WHERE NOT EXISTS
    (SELECT 1 FROM document_nodes AS n WHERE n.id = c.node AND n.document = c.document);

-- name: nodes_without_parent
SELECT count(*) FROM document_nodes AS n WHERE n.parent IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM document_nodes AS p WHERE p.id = n.parent AND p.document = n.document);

-- name: spans_outside
SELECT count(*) FROM vector_chunks AS c JOIN documents AS d ON d.ordinal = c.document
    JOIN contents AS t ON t.id = d.content
WHERE c.start < 0 OR c.stop > length(t.text) OR c.start >= c.stop;

-- name: claims_without_source
SELECT count(*) FROM claims AS c JOIN documents AS d ON d.ordinal = c.document WHERE NOT EXISTS
    (SELECT 1 FROM document_nodes AS n WHERE n.id = d.id || c.suffix AND n.document = c.document);

-- name: two_at_once
-- Two versions of one path that live in the same snapshot.
SELECT count(*) FROM documents AS one JOIN documents AS other
    ON other.branch = one.branch AND other.path = one.path AND other.ordinal > one.ordinal
WHERE one.born < other.died AND other.born < one.died;

-- name: edges_twice
SELECT count(*) FROM document_relationships AS one JOIN document_relationships AS other
    ON other.branch = one.branch AND other.source = one.source AND other.relation = one.relation
   AND other.target = one.target AND other.hand = one.hand AND other.id > one.id
WHERE one.born < other.died AND other.born < one.died;

-- name: without_rule
-- Documents that nobody has a rule for: nobody can read them.
SELECT count(*) FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE d.born <= b.newest AND NOT EXISTS
    (SELECT 1 FROM document_access AS a WHERE a.branch = d.branch AND a.path = d.path);

-- name: rules_of_branch
SELECT a.path, a.told, c.rule FROM document_access AS a JOIN access_classes AS c ON c.id = a.class
WHERE a.branch = :branch;

-- name: segments
SELECT id, branch, arrays FROM segments ORDER BY id;

-- name: ordinals
SELECT ordinal FROM documents;

-- name: postings_of_segment
SELECT term, passages, frequencies FROM postings WHERE segment = :segment;

-- name: gone
-- Paths of a branch that its newest snapshot no longer holds.
SELECT DISTINCT id FROM documents WHERE branch = :branch AND born <= :newest
EXCEPT SELECT id FROM documents WHERE branch = :branch AND born <= :newest AND died > :newest;

-- name: dead
-- Versions of documents that do not live in the newest snapshot.
SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest);

-- name: dead_documents
SELECT count(*) FROM visible_documents WHERE ordinal IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: dead_texts
SELECT count(*) FROM visible_texts WHERE ordinal IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: dead_nodes
SELECT count(*) FROM visible_nodes WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: dead_chunks
SELECT count(*) FROM visible_chunks WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: dead_offers
SELECT count(*) FROM visible_offers WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: dead_claims
SELECT count(*) FROM visible_claims WHERE document IN
    (SELECT ordinal FROM documents WHERE branch = :branch AND (died <= :newest OR born > :newest));

-- name: checked
-- How many rows were looked at.
SELECT 'branches', count(*) FROM branches
UNION ALL SELECT 'snapshots', count(*) FROM snapshots
UNION ALL SELECT 'documents', count(*) FROM documents
UNION ALL SELECT 'nodes', count(*) FROM document_nodes
UNION ALL SELECT 'chunks', count(*) FROM vector_chunks
UNION ALL SELECT 'vectors', count(*) FROM vectors
UNION ALL SELECT 'postings', count(*) FROM postings
UNION ALL SELECT 'names', count(*) FROM offers
UNION ALL SELECT 'claims', count(*) FROM claims
UNION ALL SELECT 'stated relations', count(*) FROM document_relationships;
