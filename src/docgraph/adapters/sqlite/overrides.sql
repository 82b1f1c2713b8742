-- Queries of adapters/sql/queries that SQLite needs in words of its own, each with the reason.
-- They are sent as they stand here.

-- name: state.changes
-- why: the counts are rows of one table; the file's number tells when another takes its place.
SELECT coalesce((SELECT value FROM meta WHERE key = 'changes ' || :tenant), 0),
       coalesce((SELECT value FROM meta WHERE key = 'access_changes ' || :tenant), 0),
       coalesce((SELECT value FROM meta WHERE key = 'store'), 0);

-- name: reads.meetings_of_offerers
-- why: CROSS JOIN has the offers read first; a view joined in that order would repeat the other one.
SELECT c.source, c.relation, c.path, c.line, c.start, c.stop, c.says, c.miner, c.rank, c.near,
       c.inner_id, c.strict, o.node, o.path, o.rank,
       c.inner_id = '' OR EXISTS (SELECT 1 FROM visible_nodes AS n
                                  WHERE n.id = o.node || c.inner_id AND n.document = o.document)
FROM visible_offers AS o
     CROSS JOIN visible_claims AS c
WHERE o.document IN (SELECT value FROM json_each(:documents))
  AND c.branch = o.branch AND c.key = o.key
  AND c.relation IN (SELECT value FROM json_each(:relations));

-- name: writes.next_handles
-- why: AUTOINCREMENT keeps the last number used in sqlite_sequence.
WITH RECURSIVE numbers (number) AS
    (SELECT 1 WHERE :many > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :many)
SELECT number + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'document_nodes')
FROM numbers;

-- name: writes.next_ordinals
-- why: AUTOINCREMENT keeps the last number used in sqlite_sequence.
WITH RECURSIVE numbers (number) AS
    (SELECT 1 WHERE :many > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :many)
SELECT number + (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents')
FROM numbers;

-- name: writes.count_change
-- why: the counts are rows of one table.
INSERT INTO meta VALUES ('changes ' || :tenant, 1)
ON CONFLICT (key) DO UPDATE SET value = value + 1;

-- name: writes.count_access_change
-- why: the counts are rows of one table.
INSERT INTO meta VALUES ('access_changes ' || :tenant, 1)
ON CONFLICT (key) DO UPDATE SET value = value + 1;

-- name: maintenance.drop_texts
-- why: no index leads from a text to its documents; NOT IN builds their set once.
DELETE FROM contents WHERE tenant = :tenant AND id NOT IN (SELECT content FROM documents);

-- name: maintenance.drop_vectors
-- why: no index leads from a vector to its chunks; NOT IN builds their set once.
DELETE FROM vectors
WHERE space IN (SELECT id FROM vector_spaces WHERE tenant = :tenant)
  AND id NOT IN (SELECT vector FROM vector_chunks);

-- name: audit.add_entry
-- why: the audit log is a file of its own, whose tables have no prefix.
INSERT INTO entries
    (tenant, number, time, principal, asker, action, outcome, plan, snapshots, detail)
VALUES
    (:tenant, (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE tenant = :tenant),
     :time, :principal, :asker, :action, :outcome, :plan, :snapshots, :detail)
RETURNING number, (SELECT coalesce(max(last), 0) FROM seals WHERE tenant = :tenant);

-- name: audit.entries
-- why: the audit log is a file of its own, whose tables have no prefix; LIMIT takes no NULL.
SELECT * FROM
    (SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
     FROM entries WHERE tenant = :tenant AND (:who IS NULL OR :who IN (principal, asker))
     ORDER BY number DESC LIMIT coalesce(:most, -1))
ORDER BY number;

-- name: audit.between
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
FROM entries WHERE tenant = :tenant AND number BETWEEN :first AND :last
ORDER BY number LIMIT :most;

-- name: audit.seals
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last;

-- name: audit.last_seal
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last DESC LIMIT 1;

-- name: audit.add_seal
-- why: the audit log is a file of its own, whose tables have no prefix.
INSERT INTO seals (tenant, first, last, before, digest)
VALUES (:tenant, :first, :last, :before, :digest);

-- name: audit.schema
-- why: the catalogue is sqlite_schema, which keeps each statement as it was written.
SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name;
