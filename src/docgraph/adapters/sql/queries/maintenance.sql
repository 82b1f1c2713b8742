-- Pruning: rows of no remaining snapshot.

-- name: find_branch
-- row: integer integer integer
SELECT id, newest_snapshot, oldest_snapshot FROM branches
WHERE tenant = :tenant AND repository = :repository AND name = :name;

-- name: prunable_versions
-- Versions that are in no snapshot from :oldest on.
-- row: integer
SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest;

-- name: delete_chunk_vectors
DELETE FROM chunk_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_node_vectors
DELETE FROM node_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_summary_vectors
DELETE FROM summary_vectors WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_embeddings
DELETE FROM document_embeddings WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: contents_of_snapshots
-- Numbers of the first snapshots of the newest contents, the newest first.
-- row: integer
SELECT DISTINCT content FROM snapshots WHERE branch = :branch ORDER BY content DESC LIMIT :most;

-- name: replaced_summaries
-- Of versions that every remaining snapshot has completely embedded.
-- row: integer
SELECT e.version FROM document_embeddings AS e JOIN documents AS d ON d.version = e.version
     JOIN snapshots AS s ON s.branch = d.branch AND s.number = :oldest
WHERE d.branch = :branch AND e.is_complete = 1 AND e.id <= s.last_embedding
  AND EXISTS (SELECT 1 FROM summary_vectors AS v WHERE v.version = e.version);

-- name: delete_replaced_summaries
DELETE FROM summary_vectors WHERE version IN :versions[bigint];

-- name: delete_replaced_embeddings
DELETE FROM document_embeddings WHERE is_complete = 0 AND version IN :versions[bigint];

-- name: delete_chunks
DELETE FROM vector_chunks WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_definitions
DELETE FROM definitions WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_references
DELETE FROM node_references WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_nodes
DELETE FROM document_nodes WHERE version IN
    (SELECT version FROM documents WHERE branch = :branch AND valid_to <= :oldest);

-- name: delete_documents
DELETE FROM documents WHERE branch = :branch AND valid_to <= :oldest;

-- name: pruned_documents
-- Documents of which no version is left on the branch.
-- row: text
SELECT id FROM documents WHERE branch = :branch AND valid_to <= :oldest
EXCEPT SELECT id FROM documents WHERE branch = :branch AND valid_to > :oldest;

-- name: documents_of_other_branches
-- row: text
SELECT DISTINCT d.id FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE b.tenant = :tenant AND b.repository = :repository AND d.branch <> :branch
  AND d.id IN :ids[text];

-- name: delete_manual_relationships
-- Of the branch, with an end in one of these documents.
DELETE FROM stated_relationships
WHERE branch = :branch AND manual = 1
  AND (source_document IN :ids[text] OR target_document IN :ids[text]);

-- name: delete_far_relationships
-- The same in other repositories of the tenant.
DELETE FROM stated_relationships
WHERE manual = 1
  AND branch IN (SELECT id FROM branches WHERE tenant = :tenant AND repository <> :repository)
  AND (source_document IN :ids[text] OR target_document IN :ids[text]);

-- name: delete_relationships
DELETE FROM stated_relationships WHERE branch = :branch AND valid_to <= :oldest;

-- name: delete_snapshots
DELETE FROM snapshots WHERE branch = :branch AND number < :oldest;

-- name: set_oldest
UPDATE branches SET oldest_snapshot = :oldest WHERE id = :branch;

-- name: delete_unused_texts
DELETE FROM contents AS c
WHERE c.tenant = :tenant AND NOT EXISTS (SELECT 1 FROM documents AS d WHERE d.content = c.id);

-- name: delete_unused_vectors
DELETE FROM vectors AS v
WHERE v.space IN (SELECT id FROM vector_spaces WHERE tenant = :tenant)
  AND NOT EXISTS (SELECT 1 FROM chunk_vectors AS c WHERE c.vector_id = v.id);

-- Verification: each query counts rows that must not exist; verify.py has the messages.

-- name: nodes_without_document
-- row: integer
SELECT count(*) FROM document_nodes AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.version = one.version);

-- name: chunks_without_document
-- row: integer
SELECT count(*) FROM vector_chunks AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.version = one.version);

-- name: definitions_without_document
-- row: integer
SELECT count(*) FROM definitions AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.version = one.version);

-- name: references_without_document
-- row: integer
SELECT count(*) FROM node_references AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.version = one.version);

-- name: documents_without_text
-- row: integer
SELECT count(*) FROM documents AS one WHERE NOT EXISTS
    (SELECT 1 FROM contents AS other WHERE other.id = one.content);

-- name: embeddings_without_document
-- row: integer
SELECT count(*) FROM document_embeddings AS one WHERE NOT EXISTS
    (SELECT 1 FROM documents AS other WHERE other.version = one.version);

-- name: chunk_vectors_without_vector
-- row: integer
SELECT count(*) FROM chunk_vectors AS one WHERE NOT EXISTS
    (SELECT 1 FROM vectors AS other WHERE other.id = one.vector_id);

-- name: summaries_without_vector
-- row: integer
SELECT count(*) FROM document_embeddings AS e WHERE e.is_complete = 0 AND NOT EXISTS
    (SELECT 1 FROM summary_vectors AS v JOIN document_nodes AS n ON n.handle = v.handle
     WHERE v.version = e.version AND n.version = e.version);

-- name: nodes_without_vector
-- Of versions that are completely embedded.
-- row: integer
SELECT count(*) FROM document_embeddings AS e JOIN document_nodes AS n ON n.version = e.version
WHERE e.is_complete = 1 AND NOT EXISTS
    (SELECT 1 FROM node_vectors AS v WHERE v.handle = n.handle AND v.version = n.version);

-- name: chunks_without_vector
-- row: integer
SELECT count(*) FROM document_embeddings AS e JOIN vector_chunks AS c ON c.version = e.version
WHERE e.is_complete = 1 AND NOT EXISTS
    (SELECT 1 FROM chunk_vectors AS v WHERE v.version = c.version AND v.position = c.position);

-- name: vectors_without_embedding
-- Rows of versions that are not said to be embedded, or that are no node or chunk of theirs.
-- row: integer
SELECT (SELECT count(*) FROM summary_vectors AS v WHERE NOT EXISTS
            (SELECT 1 FROM document_embeddings AS e
             WHERE e.version = v.version AND e.is_complete = 0))
       + (SELECT count(*) FROM node_vectors AS v WHERE NOT EXISTS
            (SELECT 1 FROM document_embeddings AS e JOIN document_nodes AS n ON n.version = e.version
             WHERE e.version = v.version AND e.is_complete = 1 AND n.handle = v.handle))
       + (SELECT count(*) FROM chunk_vectors AS v WHERE NOT EXISTS
            (SELECT 1 FROM document_embeddings AS e JOIN vector_chunks AS c ON c.version = e.version
             WHERE e.version = v.version AND e.is_complete = 1 AND c.position = v.position));

-- name: postings_without_segment
-- row: integer
SELECT count(*) FROM postings AS one WHERE NOT EXISTS
    (SELECT 1 FROM segments AS other WHERE other.id = one.segment);

-- name: chunks_without_node
-- row: integer
SELECT count(*) FROM vector_chunks AS c WHERE NOT EXISTS
    (SELECT 1 FROM document_nodes AS n WHERE n.id = c.node AND n.version = c.version);

-- name: nodes_without_parent
-- row: integer
SELECT count(*) FROM document_nodes AS n WHERE n.parent IS NOT NULL AND NOT EXISTS
    (SELECT 1 FROM document_nodes AS p WHERE p.id = n.parent AND p.version = n.version);

-- name: chunks_outside_text
-- row: integer
SELECT count(*) FROM vector_chunks AS c JOIN documents AS d ON d.version = c.version
    JOIN contents AS t ON t.id = d.content
WHERE c.start_offset < 0 OR c.end_offset > length(t.text) OR c.start_offset >= c.end_offset;

-- name: references_without_source
-- row: integer
SELECT count(*) FROM node_references AS ref JOIN documents AS d ON d.version = ref.version
WHERE NOT EXISTS (SELECT 1 FROM document_nodes AS n
                  WHERE n.id = d.id || ref.node_suffix AND n.version = ref.version);

-- name: overlapping_versions
-- Two versions of one path in the same snapshot.
-- row: integer
SELECT count(*) FROM documents AS one JOIN documents AS other
    ON other.branch = one.branch AND other.path = one.path AND other.version > one.version
WHERE one.valid_from < other.valid_to AND other.valid_from < one.valid_to;

-- name: duplicate_relationships
-- row: integer
SELECT count(*) FROM stated_relationships AS one JOIN stated_relationships AS other
    ON other.branch = one.branch AND other.source = one.source AND other.relation = one.relation
   AND other.target = one.target AND other.manual = one.manual AND other.id > one.id
WHERE one.valid_from < other.valid_to AND other.valid_from < one.valid_to;

-- name: documents_without_rule
-- Nobody can read them.
-- row: integer
SELECT count(*) FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE d.valid_from <= b.newest_snapshot
  AND (NOT EXISTS (SELECT 1 FROM document_access AS a
                   WHERE a.branch = d.branch AND a.path = d.path)
       OR NOT EXISTS (SELECT 1 FROM access_classes AS c WHERE c.id = d.access_class));

-- name: misnumbered_branches
-- Snapshots are numbered from the oldest to the newest, without gaps.
-- row: integer
SELECT count(*) FROM
    (SELECT b.newest_snapshot AS newest, b.oldest_snapshot AS oldest, count(s.number) AS many,
            coalesce(min(s.number), 1) AS first, coalesce(max(s.number), 0) AS last
     FROM branches AS b LEFT JOIN snapshots AS s ON s.branch = b.id
     GROUP BY b.id, b.newest_snapshot, b.oldest_snapshot) AS numbered
WHERE newest <> last OR oldest <> first OR many <> last - first + 1;

-- name: tenants_without_changes
-- row: integer
SELECT count(DISTINCT b.tenant) FROM branches AS b
WHERE b.newest_snapshot > 0 AND NOT EXISTS
    (SELECT 1 FROM change_counts AS c WHERE c.tenant = b.tenant);

-- name: rules_of_branch
-- Of every published version: the statements on its path, the rule that was stated, and the one in
-- force.
-- row: text text text text
SELECT d.path, a.statements, s.rule, c.rule FROM documents AS d
     JOIN branches AS b ON b.id = d.branch
     JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
     JOIN access_classes AS s ON s.id = d.stated_class
     JOIN access_classes AS c ON c.id = d.access_class
WHERE d.branch = :branch AND d.valid_from <= b.newest_snapshot;

-- name: segments
-- row: integer integer blob
SELECT id, branch, arrays FROM segments ORDER BY id;

-- name: all_versions
-- row: integer
SELECT version FROM documents;

-- name: removed_documents
-- Documents that the newest snapshot of a branch no longer has.
-- row: text
SELECT DISTINCT id FROM documents WHERE branch = :branch AND valid_from <= :newest
EXCEPT SELECT id FROM documents
WHERE branch = :branch AND valid_from <= :newest AND valid_to > :newest;

-- name: ended_versions
-- Versions that are not in the newest snapshot.
-- row: integer
SELECT version FROM documents
WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest);

-- name: visible_ended_documents
-- row: integer
SELECT count(*) FROM visible_documents WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: visible_ended_texts
-- row: integer
SELECT count(*) FROM visible_texts WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: visible_ended_nodes
-- row: integer
SELECT count(*) FROM visible_nodes WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: visible_ended_chunks
-- row: integer
SELECT count(*) FROM visible_chunks WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: visible_ended_vectors
-- row: integer
SELECT (SELECT count(*) FROM visible_node_vectors WHERE version IN
            (SELECT version FROM documents
             WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest)))
       + (SELECT count(*) FROM visible_summary_vectors WHERE version IN
            (SELECT version FROM documents
             WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest)))
       + (SELECT count(*) FROM visible_chunk_vectors WHERE version IN
            (SELECT version FROM documents
             WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest)));

-- name: visible_ended_definitions
-- row: integer
SELECT count(*) FROM visible_definitions WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: visible_ended_references
-- row: integer
SELECT count(*) FROM visible_references WHERE version IN
    (SELECT version FROM documents
     WHERE branch = :branch AND (valid_to <= :newest OR valid_from > :newest));

-- name: row_counts
-- How many rows were checked.
-- row: text integer
SELECT 'branches', count(*) FROM branches
UNION ALL SELECT 'snapshots', count(*) FROM snapshots
UNION ALL SELECT 'documents', count(*) FROM documents
UNION ALL SELECT 'nodes', count(*) FROM document_nodes
UNION ALL SELECT 'chunks', count(*) FROM vector_chunks
UNION ALL SELECT 'embeddings', count(*) FROM document_embeddings
UNION ALL SELECT 'vectors', count(*) FROM vectors
UNION ALL SELECT 'postings', count(*) FROM postings
UNION ALL SELECT 'definitions', count(*) FROM definitions
UNION ALL SELECT 'references', count(*) FROM node_references
UNION ALL SELECT 'stated relations', count(*) FROM stated_relationships;
