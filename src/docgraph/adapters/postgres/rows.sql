-- What rights are resolved with, before there are any: read by nobody but `load_rows` and the store.

-- name: changes
-- Counted from when, and in which table: a crash, another server or a restored backup may have
-- taken some back.
SELECT coalesce((SELECT value FROM changes WHERE tenant = %(tenant)s), 0),
       concat_ws(' ', pg_postmaster_start_time(), 'changes'::regclass::oid);

-- name: segments
SELECT id FROM segment_lives WHERE tenant = %(tenant)s;

-- name: lives
SELECT ordinal, branch, born, died, class FROM document_lives
WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s;

-- name: rules
SELECT id, rule FROM access_classes;

-- name: branches
SELECT id, tenant, repository, name, newest, oldest FROM branches
WHERE %(tenant)s::text IS NULL OR tenant = %(tenant)s ORDER BY repository, name;

-- name: snapshots
SELECT s.branch, s.number, s.created, s.ref, s.revision, s.embedder_name, s.embedder_digest,
       s.dimensions, s.miners
FROM snapshots AS s JOIN branches AS b ON b.id = s.branch
WHERE %(tenant)s::text IS NULL OR b.tenant = %(tenant)s;
