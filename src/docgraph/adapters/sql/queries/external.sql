-- External vector indexes: which of them have all rows, and what they have still to do.

-- name: add_complete
INSERT INTO complete_indexes (tenant, name) VALUES (:tenant, :index) ON CONFLICT DO NOTHING;

-- name: drop_other_complete
-- They do not get what changes now.
DELETE FROM complete_indexes WHERE tenant = :tenant AND name <> :index;

-- name: is_complete
-- row: integer
SELECT 1 FROM complete_indexes WHERE tenant = :tenant AND name = :index;

-- name: published
-- row: integer
SELECT 1 FROM branches WHERE tenant = :tenant AND newest_snapshot > 0 LIMIT 1;

-- name: tenants
-- row: text
SELECT DISTINCT tenant FROM branches ORDER BY tenant;

-- name: current_classes
-- row: integer integer
SELECT version, access_class FROM documents WHERE version IN :versions[bigint];

-- name: versions_ended
-- row: integer
SELECT version FROM documents WHERE branch = :branch AND valid_to = :snapshot ORDER BY version;

-- name: put
INSERT INTO index_outbox (tenant, name, operation, versions, argument, due, checksum)
VALUES (:tenant, :name, :operation, :versions, :argument, :due, :checksum);

-- name: due
-- row: integer text
SELECT id, tenant FROM index_outbox WHERE name = :index AND due <= :now ORDER BY id;

-- name: entry
-- row: text text integer
SELECT operation, versions, argument FROM index_outbox WHERE id = :id;

-- name: drop_entry
DELETE FROM index_outbox WHERE id = :id;

-- name: drop_entries
DELETE FROM index_outbox WHERE tenant = :tenant AND name = :index;

-- name: waiting
-- row: text
SELECT versions FROM index_outbox
WHERE tenant = :tenant AND name = :index AND operation = :operation;

-- name: overdue
-- row: integer
SELECT count(*) FROM index_outbox WHERE tenant = :tenant AND name = :index AND due < :before;

-- name: lives_after
-- Published versions of a tenant that are completely embedded, a page at a time; none has ended
-- before that is published.
-- row: integer integer integer integer integer
SELECT d.version, d.branch, d.valid_from,
       CASE WHEN d.valid_to > b.newest_snapshot THEN CAST(:forever AS bigint) ELSE d.valid_to END, d.access_class
FROM documents AS d
JOIN branches AS b ON b.id = d.branch
WHERE b.tenant = :tenant AND d.valid_from <= b.newest_snapshot AND d.version > :after
  AND EXISTS (SELECT 1 FROM document_embeddings AS e
              WHERE e.version = d.version AND e.is_complete = 1)
ORDER BY d.version LIMIT :most;

-- name: nodes_of_versions
-- row: integer integer integer integer blob
SELECT n.version, n.handle, n.handle, r.handle, v.vector
FROM document_nodes AS n
     JOIN node_vectors AS v ON v.handle = n.handle
     JOIN documents AS d ON d.version = n.version
     JOIN document_nodes AS r ON r.version = n.version AND r.id = d.id
WHERE n.version IN :versions[bigint] ORDER BY n.handle;

-- name: chunks_of_versions
-- row: integer integer integer integer blob
SELECT c.version, c.version * 1048576 + c.position, n.handle, r.handle, v.vector
FROM vector_chunks AS c
     JOIN documents AS d ON d.version = c.version
     JOIN document_nodes AS n ON n.version = c.version AND n.id = c.node
     JOIN document_nodes AS r ON r.version = c.version AND r.id = d.id
     JOIN chunk_vectors AS cv ON cv.version = c.version AND cv.position = c.position
     JOIN vectors AS v ON v.id = cv.vector_id
WHERE c.version IN :versions[bigint] ORDER BY c.version, c.position;

-- name: rows_by_branch
-- Of published versions that are completely embedded: one for each document, one for each node, one
-- for each chunk.
-- row: integer integer
SELECT d.branch, count(*) + CAST(sum((SELECT count(*) FROM document_nodes AS n
                                      WHERE n.version = d.version)
                                     + (SELECT count(*) FROM vector_chunks AS c
                                        WHERE c.version = d.version)) AS bigint)
FROM documents AS d JOIN branches AS b ON b.id = d.branch
     JOIN document_embeddings AS e ON e.version = d.version AND e.is_complete = 1
WHERE b.tenant = :tenant AND d.valid_from <= b.newest_snapshot GROUP BY d.branch ORDER BY d.branch;
