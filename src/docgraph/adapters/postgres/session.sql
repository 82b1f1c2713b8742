-- Settings and locks of one session or transaction.

-- name: put_on_the_readers_role
-- From here to the end of the transaction this is not the login any more, and sees nothing.
-- Plans are made once for each question's shape, and tables are joined in the order in which they
-- stand: these are all lookups by number, and to plan one costs more than to run it.
SELECT set_config('role', 'docgraph_reader', true),
       set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('join_collapse_limit', '1', true),
       set_config('jit', 'off', true),
       set_config('docgraph.classes', '', true),
       set_config('docgraph.scope', '', true),
       set_config('docgraph.tenant', '', true);

-- name: bind_rights
SELECT set_config('docgraph.classes', %(classes)s, true),
       set_config('docgraph.scope', %(scope)s, true);

-- name: bind_tenant
-- For the tables that servers share; where none is bound, they show nothing.
SELECT set_config('docgraph.tenant', %(tenant)s, true);

-- Locks of a session: they end with it, also when its process or the server dies.

-- name: wait_at_most
SELECT set_config('lock_timeout', %(milliseconds)s, false),
       set_config('statement_timeout', '0', false);

-- name: wait_as_before
RESET lock_timeout;

-- name: time_as_before
RESET statement_timeout;

-- name: hold_branch
SELECT pg_advisory_lock(hashtextextended('docgraph branch ' || %(branch)s, 0));

-- name: share_tenant
-- Whatever an ingest has stored and not yet used is not removed meanwhile.
SELECT pg_advisory_lock_shared(hashtextextended('docgraph tenant ' || %(tenant)s, 0));

-- name: hold_tenant
SELECT pg_advisory_lock(hashtextextended('docgraph tenant ' || %(tenant)s, 0));

-- name: let_all_go
SELECT pg_advisory_unlock_all();

-- name: take_turns
-- Writers of one tenant's audit log. To the end of the transaction, which waits at most `wait`
-- milliseconds.
SELECT set_config('lock_timeout', %(wait)s, true),
       pg_advisory_xact_lock(hashtextextended('docgraph audit ' || %(tenant)s, 0));
