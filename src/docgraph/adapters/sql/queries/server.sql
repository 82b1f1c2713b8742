-- What servers on one store share: ingest jobs and API keys.

-- name: add_ingestion
INSERT INTO ingestions (id, tenant, person, credential, asked_by, asker, request, state, attempts,
                        created, updated, progress, result, error)
VALUES (:id, :tenant, :person, :credential, :asked_by, :asker, :request,
        :state, :attempts, :created, :updated, :progress, :result, :error);

-- name: ingestion
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = :tenant AND id = :id;

-- name: ingestions_of_asker
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions
WHERE tenant = :tenant AND person = :person AND credential = :credential
ORDER BY number DESC LIMIT :most;

-- name: waiting_of_asker
SELECT count(*) FROM ingestions
WHERE tenant = :tenant AND person = :person AND credential = :credential
  AND state IN ('queued', 'running');

-- name: claim
-- First of the tenant, then of the asker, for whom none was begun for the longest time, or ever.
UPDATE ingestions
SET state = 'running', attempts = attempts + 1, owner = :owner, lease = :now + :seconds,
    begun = :now, updated = :stamp
WHERE number = (SELECT i.number FROM ingestions AS i
                WHERE i.state IN ('queued', 'running')
                  AND (i.state = 'queued' OR i.lease <= :now)
                ORDER BY (SELECT max(t.begun) FROM ingestions AS t
                          WHERE t.tenant = i.tenant) NULLS FIRST,
                         (SELECT max(a.begun) FROM ingestions AS a
                          WHERE a.tenant = i.tenant AND a.person = i.person
                            AND a.credential = i.credential) NULLS FIRST,
                         i.number
                LIMIT 1)
RETURNING id, asked_by, asker, request, state, attempts, created, updated, progress, result, error;

-- name: renew
UPDATE ingestions SET lease = :now + :seconds, progress = :progress, updated = :stamp
WHERE id = :id AND owner = :owner AND state = 'running' AND lease > :now;

-- name: finish
UPDATE ingestions
SET state = :state, result = :result, error = :error, owner = '', lease = NULL, updated = :stamp
WHERE id = :id AND owner = :owner AND state = 'running' AND lease > :now;

-- name: release
UPDATE ingestions
SET state = 'queued', attempts = attempts - :back, owner = '', lease = NULL, updated = :stamp
WHERE id = :id AND owner = :owner AND state = 'running' AND lease > :now;

-- name: add_key
INSERT INTO api_keys (id, tenant, person, created, expires, note, secret_hash)
VALUES (:id, :tenant, :person, :created, :expires, :note, :secret_hash);

-- name: find_key
-- Whatever its tenant is.
SELECT id, tenant, person, created, expires, note, secret_hash FROM api_keys WHERE id = :id;

-- name: keys_of_tenant
SELECT id, tenant, person, created, expires, note FROM api_keys
WHERE tenant = :tenant ORDER BY created, id;

-- name: drop_key
DELETE FROM api_keys WHERE tenant = :tenant AND id = :id;
