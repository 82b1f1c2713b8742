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
