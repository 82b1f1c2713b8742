-- Queries of the audit log. Each is about one tenant.

-- name: add_entry
-- At the end; gives its number and the last sealed row's.
INSERT INTO entries
    (tenant, number, time, principal, asker, action, outcome, plan, snapshots, detail)
VALUES
    (:tenant, (SELECT coalesce(max(number), 0) + 1 FROM entries WHERE tenant = :tenant),
     :time, :principal, :asker, :action, :outcome, :plan, :snapshots, :detail)
RETURNING number, (SELECT coalesce(max(last), 0) FROM seals WHERE tenant = :tenant);

-- name: entries
-- The newest `most` of them that `who` asked, or that were asked in their name; oldest first.
SELECT * FROM
    (SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
     FROM entries WHERE tenant = :tenant AND (:who IS NULL OR :who IN (principal, asker))
     ORDER BY number DESC LIMIT coalesce(:most, -1))
ORDER BY number;

-- name: between
-- The first `most` of the rows from one number to another.
SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
FROM entries WHERE tenant = :tenant AND number BETWEEN :first AND :last
ORDER BY number LIMIT :most;

-- name: seals
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last;

-- name: last_seal
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last DESC LIMIT 1;

-- name: add_seal
INSERT INTO seals (tenant, first, last, before, digest)
VALUES (:tenant, :first, :last, :before, :digest);

-- name: schema
SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name;
