-- What rights are resolved with, before there are any. Only `load_rows` and the store read this.

-- name: changes
-- How often anything of the tenant changed; how often a class changed or a snapshot was removed;
-- and what this was counted in. Each dialect has its own text.

-- name: segments
SELECT s.id FROM segments AS s JOIN branches AS b ON b.id = s.branch WHERE b.tenant = :tenant;

-- name: lives
SELECT d.ordinal, d.branch, d.born, d.died, coalesce(a.class, -1) FROM documents AS d
JOIN branches AS b ON b.id = d.branch
LEFT JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: lives_since
-- Versions of a branch that were born or ended in snapshots after this one.
SELECT d.ordinal, d.branch, d.born, d.died, coalesce(a.class, -1) FROM documents AS d
LEFT JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE d.branch = :branch AND (d.born > :after OR (d.died > :after AND d.died <= :newest));

-- name: rules
SELECT id, rule FROM access_classes WHERE id IN :classes[integer];

-- name: branches
SELECT id, tenant, repository, name, newest, oldest FROM branches
WHERE CAST(:tenant AS text) IS NULL OR tenant = :tenant ORDER BY repository, name;

-- name: snapshots
SELECT s.branch, s.number, s.created, s.ref, s.revision, s.embedder_name, s.embedder_digest,
       s.dimensions, s.miners
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch
WHERE CAST(:tenant AS text) IS NULL OR b.tenant = :tenant;

-- name: snapshots_since
SELECT branch, number, created, ref, revision, embedder_name, embedder_digest, dimensions, miners
FROM snapshots WHERE branch = :branch AND number > :after;

-- name: is_complete
-- Whether an external index has every row of the tenant.
SELECT 1 FROM complete_indexes WHERE tenant = :tenant AND name = :index;
