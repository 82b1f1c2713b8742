-- The book of ingestions. Leases are told by the server's own clock: those of replicas differ.

-- name: add_ingestion
INSERT INTO ingestions (id, tenant, asked_by, asker, request, state, attempts, created, updated,
                        progress, result, error)
VALUES (%(id)s, %(tenant)s, %(asked_by)s, %(asker)s, %(request)s, %(state)s, %(attempts)s,
        %(created)s, %(updated)s, %(progress)s, %(result)s, %(error)s);

-- name: ingestion
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = %(tenant)s AND id = %(id)s;

-- name: ingestions_of_tenant
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = %(tenant)s ORDER BY number DESC LIMIT %(most)s;

-- name: claim
-- What another claims in this moment is passed over, not waited for.
WITH oldest AS MATERIALIZED (
    SELECT number FROM ingestions
    WHERE state IN ('queued', 'running')
      AND (state = 'queued' OR lease <= clock_timestamp())
    ORDER BY number LIMIT 1
    FOR UPDATE SKIP LOCKED
)
UPDATE ingestions AS i
SET state = 'running', attempts = i.attempts + 1, owner = %(owner)s,
    lease = clock_timestamp() + make_interval(secs => %(seconds)s),
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
FROM oldest WHERE i.number = oldest.number
RETURNING i.id, i.asked_by, i.asker, i.request, i.state, i.attempts, i.created, i.updated,
          i.progress, i.result, i.error;

-- name: renew
UPDATE ingestions
SET lease = clock_timestamp() + make_interval(secs => %(seconds)s), progress = %(progress)s,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();

-- name: finish
UPDATE ingestions
SET state = %(state)s, result = %(result)s, error = %(error)s, owner = '', lease = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();

-- name: release
UPDATE ingestions
SET state = 'queued', attempts = attempts - 1, owner = '', lease = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();
