-- What rights are resolved with, before there are any: read by nobody but `load_rows` and the store.

-- name: changes
SELECT value, coalesce((SELECT value FROM meta WHERE key = 'store'), 0)
FROM meta WHERE key = 'changes';

-- name: segments
SELECT id FROM segments;

-- name: lives
SELECT d.ordinal, d.branch, d.born, d.died, coalesce(a.class, -1) FROM documents AS d
LEFT JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path;

-- name: rules
SELECT id, rule FROM access_classes;

-- name: branches
SELECT id, tenant, repository, name, newest, oldest FROM branches ORDER BY repository, name;

-- name: snapshots
SELECT branch, number, created, ref, revision, embedder_name, embedder_digest, dimensions, miners
FROM snapshots;
