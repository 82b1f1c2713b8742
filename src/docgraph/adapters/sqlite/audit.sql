-- Queries of the audit log. Each is about one tenant.

-- name: newest
-- The last row's number and the last sealed row's.
SELECT (SELECT coalesce(max(number), 0) FROM entries WHERE tenant = :tenant),
       (SELECT coalesce(max(last), 0) FROM seals WHERE tenant = :tenant);

-- name: add_entry
INSERT INTO entries
    (tenant, number, time, principal, asker, action, outcome, plan, snapshots, detail)
VALUES
    (:tenant, :number, :time, :principal, :asker, :action, :outcome, :plan, :snapshots, :detail);

-- name: entries
-- The newest `most` of them that `who` asked, or that were asked in their name; oldest first.
SELECT * FROM
    (SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
     FROM entries WHERE tenant = :tenant AND (:who IS NULL OR :who IN (principal, asker))
     ORDER BY number DESC LIMIT :most)
ORDER BY number;

-- name: between
-- Rows above one number and up to another.
SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
FROM entries WHERE tenant = :tenant AND number > :above AND number <= :last ORDER BY number;

-- name: seals
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last;

-- name: last_seal
SELECT first, last, before, digest FROM seals WHERE tenant = :tenant ORDER BY last DESC LIMIT 1;

-- name: add_seal
INSERT INTO seals (tenant, first, last, before, digest)
VALUES (:tenant, :first, :last, :before, :digest);

-- name: schema
SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name;
