-- Queries of adapters/sql/queries with another text on SQLite, each with the reason. They are sent
-- as they are written here.

-- name: reads.matches_of_definitions
-- why: CROSS JOIN reads the definitions first; a view with that order would repeat the other one.
SELECT ref.source, ref.relation, ref.path, ref.line, ref.start_offset, ref.end_offset, ref.text,
       ref.miner, ref.rank, ref.distance_weight, ref.inner_suffix, ref.strict,
       def.node, def.path, def.rank,
       ref.inner_suffix = ''
           OR EXISTS (SELECT 1 FROM visible_nodes AS n
                      WHERE n.id = def.node || ref.inner_suffix AND n.version = def.version)
FROM visible_definitions AS def
     CROSS JOIN visible_references AS ref
WHERE def.version IN (SELECT value FROM json_each(:versions))
  AND ref.branch = def.branch AND ref.key = def.key
  AND ref.relation IN (SELECT value FROM json_each(:relations));

-- name: state.last_version
-- why: AUTOINCREMENT keeps the last number used in sqlite_sequence.
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents';

-- name: writes.next_handles
-- why: AUTOINCREMENT keeps the last number used in sqlite_sequence. No ingest that did not finish has
-- used so many numbers: that one is damaged, and no number follows.
WITH RECURSIVE numbers (number) AS
    (SELECT 1 WHERE :many > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :many),
last (number) AS
    (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'document_nodes')
SELECT numbers.number + last.number FROM numbers CROSS JOIN last
WHERE last.number - (SELECT coalesce(max(handle), 0) FROM document_nodes) BETWEEN 0 AND 1 << 28;

-- name: writes.next_versions
-- why: as for handles. Memory is taken for every number.
WITH RECURSIVE numbers (number) AS
    (SELECT 1 WHERE :many > 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < :many),
last (number) AS (SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'documents')
SELECT numbers.number + last.number FROM numbers CROSS JOIN last
WHERE last.number - (SELECT coalesce(max(version), 0) FROM documents) BETWEEN 0 AND 1 << 24;

-- name: writes.increment_changes
-- why: each dialect has its own source of random numbers.
INSERT INTO change_counts (tenant, all_changes, tokens)
VALUES (:tenant, 1, lower(hex(randomblob(16))))
ON CONFLICT (tenant) DO UPDATE SET
    all_changes = all_changes + 1, tokens = substr(excluded.tokens || tokens, 1, 64 * 32);

-- name: maintenance.delete_unused_texts
-- why: no index leads from a text to its documents; NOT IN builds their set once.
DELETE FROM contents WHERE tenant = :tenant AND id NOT IN (SELECT content FROM documents);

-- name: maintenance.delete_unused_vectors
-- why: no index leads from a vector to its chunks; NOT IN builds their set once.
DELETE FROM vectors
WHERE space IN (SELECT id FROM vector_spaces WHERE tenant = :tenant)
  AND id NOT IN (SELECT vector_id FROM vector_chunks);

-- name: audit.add_entry
-- why: the audit log is a file of its own, whose tables have no prefix.
INSERT INTO entries
    (tenant, number, time, principal, authenticated_by, action, outcome, plan, snapshots, detail,
     checksum)
VALUES
    (:tenant, (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE tenant = :tenant),
     :time, :principal, :authenticated_by, :action, :outcome, :plan, :snapshots, :detail,
     :checksum)
RETURNING number, (SELECT coalesce(max(last), 0) FROM seals WHERE tenant = :tenant);

-- name: audit.entries
-- why: the audit log is a file of its own, whose tables have no prefix; LIMIT takes no NULL.
SELECT * FROM
    (SELECT number, time, tenant, principal, authenticated_by, action, outcome, plan, snapshots,
     detail
     FROM entries WHERE tenant = :tenant AND (:who IS NULL OR :who IN (principal, authenticated_by))
     ORDER BY number DESC LIMIT coalesce(:most, -1))
ORDER BY number;

-- name: audit.principals
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT name FROM
    (SELECT principal AS name FROM entries WHERE tenant = :tenant
     UNION SELECT authenticated_by FROM entries WHERE tenant = :tenant)
WHERE name <> '' ORDER BY name;

-- name: audit.entries_between
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT number, time, tenant, principal, authenticated_by, action, outcome, plan, snapshots, detail,
       checksum
FROM entries WHERE tenant = :tenant AND number BETWEEN :first AND :last
ORDER BY number LIMIT :most;

-- name: audit.seals
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT first, last, previous_digest, digest FROM seals WHERE tenant = :tenant ORDER BY last;

-- name: audit.last_seal
-- why: the audit log is a file of its own, whose tables have no prefix.
SELECT first, last, previous_digest, digest
FROM seals WHERE tenant = :tenant ORDER BY last DESC LIMIT 1;

-- name: audit.add_seal
-- why: the audit log is a file of its own, whose tables have no prefix.
INSERT INTO seals (tenant, first, last, previous_digest, digest)
VALUES (:tenant, :first, :last, :previous_digest, :digest);

-- name: audit.schema
-- why: the catalogue is sqlite_schema, which keeps each statement as it was written.
SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name;
