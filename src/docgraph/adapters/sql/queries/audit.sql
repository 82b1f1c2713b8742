-- Queries of the audit log. Each is about one tenant.

-- name: add_entry
-- Returns its number and that of the last sealed row.
-- row: integer integer
INSERT INTO audit_entries
    (tenant, number, time, principal, authenticated_by, action, outcome, plan, snapshots, detail,
     checksum)
VALUES
    (:tenant, (SELECT coalesce(max(number), 0) + 1 FROM audit_entries WHERE tenant = :tenant),
     :time, :principal, :authenticated_by, :action, :outcome, :plan, :snapshots, :detail,
     :checksum)
RETURNING number, (SELECT coalesce(max(last), 0) FROM audit_seals WHERE tenant = :tenant);

-- name: entries
-- The newest `most` requests by `who`, or by others as `who`; oldest first.
-- row: integer text text text text text text text text text
SELECT * FROM
    (SELECT number, time, tenant, principal, authenticated_by, action, outcome, plan, snapshots,
            detail
     FROM audit_entries
     WHERE tenant = :tenant
       AND (CAST(:who AS text) IS NULL OR CAST(:who AS text) IN (principal, authenticated_by))
     ORDER BY number DESC LIMIT CAST(:most AS bigint)) AS newest
ORDER BY number;

-- name: principals
-- Who made a request, or in whose name one was made.
-- row: text
SELECT name FROM
    (SELECT principal AS name FROM audit_entries WHERE tenant = :tenant
     UNION SELECT authenticated_by FROM audit_entries WHERE tenant = :tenant) AS names
WHERE name <> '' ORDER BY name;

-- name: entries_between
-- The first `most` of the rows from one number to another.
-- row: integer text text text text text text text text text integer
SELECT number, time, tenant, principal, authenticated_by, action, outcome, plan, snapshots, detail,
       checksum
FROM audit_entries WHERE tenant = :tenant AND number BETWEEN :first AND :last
ORDER BY number LIMIT :most;

-- name: seals
-- row: integer integer text text
SELECT first, last, previous_digest, digest FROM audit_seals WHERE tenant = :tenant ORDER BY last;

-- name: last_seal
-- row: integer integer text text
SELECT first, last, previous_digest, digest FROM audit_seals WHERE tenant = :tenant
ORDER BY last DESC LIMIT 1;

-- name: add_seal
INSERT INTO audit_seals (tenant, first, last, previous_digest, digest)
VALUES (:tenant, :first, :last, :previous_digest, :digest);

-- name: schema
-- Every table, index, trigger and function of the log: kind, name, text. Each dialect has its own.
-- row: text text text
