-- Queries of adapters/sql/queries with another text on SQLite, each with the reason. They are sent
-- as they are written here.

-- name: reads.references_of_versions
-- why: half of the references in code have no definition; SQLite leaves them out faster than Python.
SELECT ref.branch, ref.key, ref.source, ref.relation, ref.path, ref.rank, ref.distance_weight,
       ref.inner_suffix, ref.strict, ref.line, ref.start_offset, ref.end_offset, ref.text, ref.miner
FROM visible_references AS ref
WHERE ref.version IN (SELECT value FROM json_each(:versions))
  AND ref.relation IN (SELECT value FROM json_each(:relations))
  AND EXISTS (SELECT 1 FROM visible_definitions AS def
              WHERE def.branch = ref.branch AND def.key = ref.key);

-- name: reads.references_to_versions
-- why: CROSS JOIN reads the definitions first. A key has few references: one range of its relations
-- is read faster than each relation by itself.
SELECT ref.source, ref.relation, ref.path, ref.rank, ref.distance_weight, ref.inner_suffix,
       ref.strict, ref.line, ref.start_offset, ref.end_offset, ref.text, ref.miner,
       def.node, def.path, def.rank
FROM visible_definitions AS def
     CROSS JOIN visible_references AS ref
WHERE def.version IN (SELECT value FROM json_each(:versions))
  AND ref.branch = def.branch AND ref.key = def.key
  AND ref.relation BETWEEN (SELECT min(value) FROM json_each(:relations))
                       AND (SELECT max(value) FROM json_each(:relations))
  AND +ref.relation IN (SELECT value FROM json_each(:relations));

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

-- name: writes.current_texts
-- why: texts are compressed in the file.
SELECT d.path, d.id, n.kind, n.title, decompress(c.text), d.source_lines
FROM documents AS d JOIN contents AS c ON c.id = d.content
     JOIN document_nodes AS n ON n.version = d.version AND n.id = d.id
WHERE d.branch = :branch AND d.valid_to = :forever AND (d.valid_from = :next) = (:fresh = 1)
  AND d.path > :after
ORDER BY d.path LIMIT :most;

-- name: writes.texts_of_versions
-- why: texts are compressed in the file.
SELECT d.version, d.path, decompress(c.text)
FROM documents AS d JOIN contents AS c ON c.id = d.content
WHERE d.version IN (SELECT value FROM json_each(:versions));

-- name: writes.add_content
-- why: texts are compressed in the file.
INSERT INTO contents (tenant, hash, text) VALUES (:tenant, :hash, compress(:text))
ON CONFLICT DO NOTHING;

-- name: checksums.contents
-- why: texts are compressed in the file.
SELECT hash, decompress(text) FROM contents WHERE id IN (SELECT value FROM json_each(:ids));

-- name: maintenance.chunks_outside_text
-- why: texts are compressed in the file; each is read once.
SELECT (SELECT count(*) FROM vector_chunks WHERE start_offset < 0 OR start_offset >= end_offset)
       + (SELECT count(*)
          FROM (SELECT d.content, max(c.end_offset) AS last
                FROM vector_chunks AS c JOIN documents AS d ON d.version = c.version
                GROUP BY c.version) AS v
               JOIN contents AS t ON t.id = v.content
          WHERE v.last > length(decompress(t.text)));

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
  AND id NOT IN (SELECT vector_id FROM chunk_vectors);

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
