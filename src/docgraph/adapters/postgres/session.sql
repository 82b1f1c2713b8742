-- Settings and locks of one session or transaction.

-- name: set_reader_role
-- To the end of the transaction, the rights are those of docgraph_reader, who sees nothing yet.
-- Generic plans, and joins in the order of the text: these are lookups by number, which take less
-- time than planning them.
SELECT set_config('role', 'docgraph_reader', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('join_collapse_limit', '1', true),
       set_config('jit', 'off', true),
       set_config('docgraph.access_classes', '', true),
       set_config('docgraph.scope', '', true),
       set_config('docgraph.tenant', '', true);

-- name: bind_read_filter
SELECT set_config('docgraph.access_classes', %(classes)s, true),
       set_config('docgraph.scope', %(scope)s, true);

-- name: bind_tenant
-- For the tables that servers share; without a tenant they show no row.
SELECT set_config('docgraph.tenant', %(tenant)s, true);

-- Locks of a session: they end with it, also when its process or the server dies.

-- name: set_lock_timeout
SELECT set_config('lock_timeout', %(milliseconds)s, false),
       set_config('statement_timeout', '0', false);

-- name: reset_lock_timeout
RESET lock_timeout;

-- name: reset_statement_timeout
RESET statement_timeout;

-- name: lock_branch
SELECT pg_advisory_lock(hashtextextended('docgraph branch ' || %(branch)s, 0));

-- name: lock_tenant_shared
-- While an ingest holds it, nothing that it has stored and not yet used is removed.
SELECT pg_advisory_lock_shared(hashtextextended('docgraph tenant ' || %(tenant)s, 0));

-- name: lock_tenant
SELECT pg_advisory_lock(hashtextextended('docgraph tenant ' || %(tenant)s, 0));

-- name: lock_holders
-- What the sessions say of themselves that hold a lock in one of these modes.
SELECT DISTINCT a.application_name
FROM pg_locks AS l
     JOIN pg_stat_activity AS a ON a.pid = l.pid
     CROSS JOIN (SELECT hashtextextended(%(lock)s, 0) AS key) AS k
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND l.classid::bigint = (k.key >> 32) & 4294967295
      AND l.objid::bigint = k.key & 4294967295
      AND l.mode = ANY (%(modes)s::text[])
ORDER BY a.application_name;

-- name: set_application_name
SELECT set_config('application_name', %(name)s, false);

-- name: reset_application_name
RESET application_name;

-- name: unlock_all
SELECT pg_advisory_unlock_all();

-- name: lock_audit_log
-- For writers of one tenant's log, to the end of the transaction, which waits at most `wait`
-- milliseconds.
SELECT set_config('lock_timeout', %(wait)s, true),
       pg_advisory_xact_lock(hashtextextended('docgraph audit ' || %(tenant)s, 0));
