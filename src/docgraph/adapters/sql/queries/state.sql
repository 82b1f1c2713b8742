-- What rights are resolved with, before there are any. Only `load_rows` and the store read this.

-- name: changes
-- The number of changes, and what it was counted in. Each dialect has its own text.

-- name: segments
SELECT s.id FROM segments AS s JOIN branches AS b ON b.id = s.branch WHERE b.tenant = :tenant;

-- name: lives
SELECT d.ordinal, d.branch, d.born, d.died, coalesce(a.class, -1) FROM documents AS d
JOIN branches AS b ON b.id = d.branch
LEFT JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: rules
SELECT id, rule FROM access_classes;

-- name: branches
SELECT id, tenant, repository, name, newest, oldest FROM branches
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant ORDER BY repository, name;

-- name: snapshots
SELECT s.branch, s.number, s.created, s.ref, s.revision, s.embedder_name, s.embedder_digest,
       s.dimensions, s.miners
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;
