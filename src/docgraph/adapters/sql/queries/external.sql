-- External vector indexes: which of them have all rows, and what they have still to do.

-- name: add_complete
INSERT INTO complete_indexes (tenant, name) VALUES (:tenant, :index) ON CONFLICT DO NOTHING;

-- name: drop_other_complete
-- They do not get what changes now.
DELETE FROM complete_indexes WHERE tenant = :tenant AND name <> :index;

-- name: is_complete
SELECT 1 FROM complete_indexes WHERE tenant = :tenant AND name = :index;

-- name: published
SELECT 1 FROM branches WHERE tenant = :tenant AND newest > 0 LIMIT 1;

-- name: tenants
SELECT DISTINCT tenant FROM branches ORDER BY tenant;

-- name: classes_of_versions
-- All versions of these paths, also of an ingest under way.
SELECT d.ordinal, d.path, a.class FROM documents AS d
JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE d.branch = :branch AND d.path IN :paths[text];

-- name: current_classes
SELECT d.ordinal, a.class FROM documents AS d
JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE d.ordinal IN :versions[bigint];

-- name: versions_ended
SELECT ordinal FROM documents WHERE branch = :branch AND died = :snapshot ORDER BY ordinal;

-- name: put
INSERT INTO index_outbox (tenant, name, operation, versions, argument, due)
VALUES (:tenant, :index, :operation, :versions, :argument, :due);

-- name: due
SELECT id, tenant FROM index_outbox WHERE name = :index AND due <= :now ORDER BY id;

-- name: entry
SELECT operation, versions, argument FROM index_outbox WHERE id = :id;

-- name: drop_entry
DELETE FROM index_outbox WHERE id = :id;

-- name: drop_entries
DELETE FROM index_outbox WHERE tenant = :tenant AND name = :index;

-- name: waiting
SELECT versions FROM index_outbox
WHERE tenant = :tenant AND name = :index AND operation = :operation;

-- name: overdue
SELECT count(*) FROM index_outbox WHERE tenant = :tenant AND name = :index AND due < :before;

-- name: lives_after
-- Published versions of a tenant, a page at a time; none has ended before that is published.
SELECT d.ordinal, d.branch, d.born,
       CASE WHEN d.died > b.newest THEN CAST(:forever AS bigint) ELSE d.died END, a.class
FROM documents AS d
JOIN branches AS b ON b.id = d.branch
JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE b.tenant = :tenant AND d.born <= b.newest AND d.ordinal > :after
ORDER BY d.ordinal LIMIT :most;

-- name: nodes_of_versions
SELECT n.document, n.handle, n.handle, r.handle, n.vector
FROM document_nodes AS n
     JOIN documents AS d ON d.ordinal = n.document
     JOIN document_nodes AS r ON r.document = n.document AND r.id = d.id
WHERE n.document IN :versions[bigint] ORDER BY n.handle;

-- name: chunks_of_versions
SELECT c.document, c.document * 1048576 + c.position, n.handle, r.handle, v.vector
FROM vector_chunks AS c
     JOIN documents AS d ON d.ordinal = c.document
     JOIN document_nodes AS n ON n.document = c.document AND n.id = c.node
     JOIN document_nodes AS r ON r.document = c.document AND r.id = d.id
     JOIN vectors AS v ON v.id = c.vector
WHERE c.document IN :versions[bigint] ORDER BY c.document, c.position;

-- name: rows_by_branch
-- Of published versions: one for each document, one for each node, one for each chunk.
SELECT d.branch, count(*) + CAST(sum((SELECT count(*) FROM document_nodes AS n
                                      WHERE n.document = d.ordinal)
                                     + (SELECT count(*) FROM vector_chunks AS c
                                        WHERE c.document = d.ordinal)) AS bigint)
FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE b.tenant = :tenant AND d.born <= b.newest GROUP BY d.branch ORDER BY d.branch;
