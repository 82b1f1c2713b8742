-- The book of ingestions. `now` is the machine's clock, which all who share the file share.

-- name: add_ingestion
INSERT INTO ingestions (id, tenant, asked_by, asker, request, state, attempts, created, updated,
                        progress, result, error)
VALUES (:id, :tenant, :asked_by, :asker, :request, :state, :attempts, :created, :updated,
        :progress, :result, :error);

-- name: ingestion
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = :tenant AND id = :id;

-- name: ingestions_of_tenant
SELECT id, asked_by, asker, request, state, attempts, created, updated, progress, result, error
FROM ingestions WHERE tenant = :tenant ORDER BY number DESC LIMIT :most;

-- name: claim
UPDATE ingestions
SET state = 'running', attempts = attempts + 1, owner = :owner, lease = :now + :seconds,
    updated = :stamp
WHERE number = (SELECT number FROM ingestions
                WHERE state = 'queued' OR (state = 'running' AND lease <= :now)
                ORDER BY number LIMIT 1)
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
SET state = 'queued', attempts = attempts - 1, owner = '', lease = NULL, updated = :stamp
WHERE id = :id AND owner = :owner AND state = 'running' AND lease > :now;
