-- What visibility is computed from, before it is known. Only `load_rows` and the store read this.

-- name: change_counts
-- How often anything of the tenant changed; how often a class changed or a snapshot was removed;
-- and the random tokens of the last changes. No row where nothing has changed yet.
-- row: integer integer text
SELECT all_changes, access_changes, tokens FROM change_counts WHERE tenant = :tenant;

-- name: segments
-- row: integer
SELECT s.id FROM segments AS s JOIN branches AS b ON b.id = s.branch WHERE b.tenant = :tenant;

-- name: document_lifetimes
-- row: integer integer integer integer integer
SELECT d.version, d.branch, d.valid_from, d.valid_to, d.access_class
FROM documents AS d JOIN branches AS b ON b.id = d.branch
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: document_lifetimes_since
-- Versions of a branch that begin or end in snapshots after this one.
-- row: integer integer integer integer integer
SELECT d.version, d.branch, d.valid_from, d.valid_to, d.access_class
FROM documents AS d
WHERE d.branch = :branch
  AND (d.valid_from > :after OR (d.valid_to > :after AND d.valid_to <= :newest));

-- name: embeddings
-- row: integer integer integer
SELECT e.id, e.version, e.is_complete
FROM document_embeddings AS e JOIN documents AS d ON d.version = e.version
     JOIN branches AS b ON b.id = d.branch
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: embeddings_since
-- Of versions of a branch.
-- row: integer integer integer
SELECT e.id, e.version, e.is_complete
FROM document_embeddings AS e JOIN documents AS d ON d.version = e.version
WHERE e.id > :after AND d.branch = :branch;

-- name: last_version
-- The last number that a version was given. Each dialect has its own text.
-- row: integer

-- name: rules
-- row: integer text
SELECT id, rule FROM access_classes WHERE id IN :classes[integer];

-- name: branches
-- row: integer text text text integer integer
SELECT id, tenant, repository, name, newest_snapshot, oldest_snapshot FROM branches
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant ORDER BY repository, name;

-- name: snapshots
-- row: integer integer text text text text text integer text integer integer
SELECT s.branch, s.number, s.created, s.ref, s.revision, s.embedder_name, s.embedder_digest,
       s.dimensions, s.miners, s.last_embedding, s.content
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: snapshots_since
-- row: integer integer text text text text text integer text integer integer
SELECT branch, number, created, ref, revision, embedder_name, embedder_digest, dimensions, miners,
       last_embedding, content
FROM snapshots WHERE branch = :branch AND number > :after;

-- name: is_complete
-- Whether an external index has every row of the tenant.
-- row: integer
SELECT 1 FROM complete_indexes WHERE tenant = :tenant AND name = :index;
