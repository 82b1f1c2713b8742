-- The book of ingestions. Leases are told by the server's own clock: those of replicas differ.

-- name: add_ingestion
INSERT INTO ingestions (id, tenant, person, credential, asked_by, asker, request, state, attempts,
                        created, updated, progress, result, error)
VALUES (%(id)s, %(tenant)s, %(person)s, %(credential)s, %(asked_by)s, %(asker)s, %(request)s,
        %(state)s, %(attempts)s, %(created)s, %(updated)s, %(progress)s, %(result)s, %(error)s);

-- name: ingestion
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = %(tenant)s AND id = %(id)s;

-- name: ingestions_of_asker
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions
WHERE tenant = %(tenant)s AND person = %(person)s AND credential = %(credential)s
ORDER BY number DESC LIMIT %(most)s;

-- name: waiting_of_asker
SELECT count(*) FROM ingestions
WHERE tenant = %(tenant)s AND person = %(person)s AND credential = %(credential)s
  AND state IN ('queued', 'running');

-- name: claim
-- First of the tenant, then of the asker, for whom none was begun for the longest time, or ever.
-- What another claims in this moment is passed over, not waited for.
WITH next AS MATERIALIZED (
    SELECT i.number FROM ingestions AS i
    WHERE i.state IN ('queued', 'running')
      AND (i.state = 'queued' OR i.lease <= clock_timestamp())
    ORDER BY (SELECT max(t.begun) FROM ingestions AS t WHERE t.tenant = i.tenant) NULLS FIRST,
             (SELECT max(a.begun) FROM ingestions AS a
              WHERE a.tenant = i.tenant AND a.person = i.person
                AND a.credential = i.credential) NULLS FIRST,
             i.number
    LIMIT 1
    FOR UPDATE OF i SKIP LOCKED
)
UPDATE ingestions AS i
SET state = 'running', attempts = i.attempts + 1, owner = %(owner)s,
    lease = clock_timestamp() + make_interval(secs => %(seconds)s), begun = clock_timestamp(),
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
FROM next WHERE i.number = next.number
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
SET state = 'queued', attempts = attempts - %(back)s, owner = '', lease = NULL,
    updated = to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')
WHERE id = %(id)s AND owner = %(owner)s AND state = 'running' AND lease > clock_timestamp();
