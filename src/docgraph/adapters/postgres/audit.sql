-- Queries of the audit log. Each is about one tenant.

-- name: take_turns
-- To the end of the transaction, at most `wait` milliseconds behind other writers.
SELECT set_config('lock_timeout', %(wait)s, true),
       pg_advisory_xact_lock(hashtextextended('docgraph audit ' || %(tenant)s, 0));

-- name: add_entry
-- At the end; gives its number and the last sealed row's.
INSERT INTO audit_entries
    (tenant, number, time, principal, asker, action, outcome, plan, snapshots, detail)
VALUES
    (%(tenant)s,
     (SELECT coalesce(max(number), 0) + 1 FROM audit_entries WHERE tenant = %(tenant)s),
     %(time)s, %(principal)s, %(asker)s, %(action)s, %(outcome)s, %(plan)s, %(snapshots)s,
     %(detail)s)
RETURNING number, (SELECT coalesce(max(last), 0) FROM audit_seals WHERE tenant = %(tenant)s);

-- name: entries
-- The newest `most` of them that `who` asked, or that were asked in their name; oldest first.
SELECT * FROM
    (SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
     FROM audit_entries
     WHERE tenant = %(tenant)s AND (%(who)s::text IS NULL OR %(who)s::text IN (principal, asker))
     ORDER BY number DESC LIMIT %(most)s::bigint) AS newest
ORDER BY number;

-- name: between
-- The first `most` of the rows from one number to another.
SELECT number, time, tenant, principal, asker, action, outcome, plan, snapshots, detail
FROM audit_entries WHERE tenant = %(tenant)s AND number BETWEEN %(first)s AND %(last)s
ORDER BY number LIMIT %(most)s;

-- name: seals
SELECT first, last, before, digest FROM audit_seals WHERE tenant = %(tenant)s ORDER BY last;

-- name: last_seal
SELECT first, last, before, digest FROM audit_seals WHERE tenant = %(tenant)s
ORDER BY last DESC LIMIT 1;

-- name: add_seal
INSERT INTO audit_seals (tenant, first, last, before, digest)
VALUES (%(tenant)s, %(first)s, %(last)s, %(before)s, %(digest)s);

-- name: schema
-- All that decides what becomes of a row, by kind and name, in words that no version changes.
WITH logs AS (
    SELECT c.* FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relname IN ('audit_entries', 'audit_seals')
), triggers AS (
    SELECT t.* FROM pg_trigger AS t JOIN logs AS l ON l.oid = t.tgrelid WHERE NOT t.tgisinternal
)
SELECT 'table', relname::text,
       concat_ws(' ', relkind, relpersistence,
                 CASE WHEN relrowsecurity THEN 'row security' END,
                 CASE WHEN relforcerowsecurity THEN 'for its owner' END)
FROM logs
UNION ALL
SELECT 'column', l.relname::text || '.' || a.attname::text,
       concat_ws(' ', format_type(a.atttypid, a.atttypmod), nullif(c.collname, 'default'),
                 CASE WHEN a.attnotnull THEN 'not null' END, nullif(a.attidentity, ''),
                 nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid))
FROM logs AS l JOIN pg_attribute AS a ON a.attrelid = l.oid AND a.attnum > 0
     LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
     LEFT JOIN pg_attrdef AS d ON d.adrelid = l.oid AND d.adnum = a.attnum
WHERE NOT a.attisdropped
UNION ALL
SELECT 'constraint', c.conname::text, pg_get_constraintdef(c.oid, true)
FROM logs AS l JOIN pg_constraint AS c ON c.conrelid = l.oid
WHERE c.contype <> 'n'
UNION ALL
SELECT 'index', i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
FROM logs AS l JOIN pg_index AS i ON i.indrelid = l.oid
UNION ALL
SELECT 'trigger', tgname::text, concat_ws(' ', tgenabled, pg_get_triggerdef(oid, true))
FROM triggers
UNION ALL
SELECT DISTINCT 'function', p.oid::regproc::text,
       concat_ws(' ', l.lanname, p.prosecdef, p.provolatile, p.proconfig, p.prosrc)
FROM triggers AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_language AS l ON l.oid = p.prolang
UNION ALL
SELECT 'rule', r.rulename::text, pg_get_ruledef(r.oid)
FROM logs AS l JOIN pg_rewrite AS r ON r.ev_class = l.oid
UNION ALL
SELECT 'policy', p.polname::text, concat_ws(' ', pg_get_expr(p.polqual, p.polrelid),
                                            pg_get_expr(p.polwithcheck, p.polrelid))
FROM logs AS l JOIN pg_policy AS p ON p.polrelid = l.oid
UNION ALL
SELECT 'child table', i.inhrelid::regclass::text, l.relname::text
FROM logs AS l JOIN pg_inherits AS i ON i.inhparent = l.oid;
