-- Queries of the audit log. Each is about one tenant.

-- name: add_entry
-- At the end; gives its number and the last sealed row's.
INSERT INTO audit_entries
    (tenant, number, time, principal, asker, action, outcome, plan, snapshots, detail)
VALUES
    (:tenant, (SELECT coalesce(max(number), 0) + 1 FROM audit_entries WHERE tenant = :tenant),
     :time, :principal, :asker, :action, :outcome, :plan, :snapshots, :detail)
RETURNING number, (SELECT coalesce(max(last), 0) FROM audit_seals WHERE tenant = :tenant);

-- name: entries
-- The newest `most` of them that `who` asked, or that were asked in their name; oldest first.
SELECT * FROM
    (SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
     FROM audit_entries
     WHERE tenant = :tenant
       AND (CAST(:who AS text) IS NULL OR CAST(:who AS text) IN (principal, asker))
     ORDER BY number DESC LIMIT CAST(:most AS bigint)) AS newest
ORDER BY number;

-- name: between
-- The first `most` of the rows from one number to another.
SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
FROM audit_entries WHERE tenant = :tenant AND number BETWEEN :first AND :last
ORDER BY number LIMIT :most;

-- name: seals
SELECT first, last, before, digest FROM audit_seals WHERE tenant = :tenant ORDER BY last;

-- name: last_seal
SELECT first, last, before, digest FROM audit_seals WHERE tenant = :tenant
ORDER BY last DESC LIMIT 1;

-- name: add_seal
INSERT INTO audit_seals (tenant, first, last, before, digest)
VALUES (:tenant, :first, :last, :before, :digest);

-- name: schema
-- All that decides what becomes of a row: kind, name and text. Each dialect has its own text.
