-- What servers on one store share: ingest jobs and API keys.

-- name: add_job
INSERT INTO ingest_jobs (id, tenant, principal, credential_kind, requester, authenticated_by,
                         request, state, attempts, created, updated, progress, result, error,
                         checksum)
VALUES (:id, :tenant, :principal, :credential_kind, :requester, :authenticated_by, :request,
        :state, :attempts, :created, :updated, :progress, :result, :error, :checksum);

-- name: find_job
-- row: text text text text text integer text text text text text
SELECT id, requester, authenticated_by, request, state, attempts, created, updated, progress,
       result, error
FROM ingest_jobs WHERE tenant = :tenant AND id = :id;

-- name: jobs_of_owner
-- row: text text text text text integer text text text text text
SELECT id, requester, authenticated_by, request, state, attempts, created, updated, progress,
       result, error
FROM ingest_jobs
WHERE tenant = :tenant AND principal = :principal AND credential_kind = :credential_kind
ORDER BY number DESC LIMIT :most;

-- name: count_pending_jobs
-- row: integer
SELECT count(*) FROM ingest_jobs
WHERE tenant = :tenant AND principal = :principal AND credential_kind = :credential_kind
  AND state IN ('queued', 'running');

-- name: claim_job
-- Of the tenant, and in it of the owner, whose last job was started the longest time ago, or never.
-- row: text text text text text integer text text text text text
UPDATE ingest_jobs
SET state = 'running', attempts = attempts + 1, worker = :worker, lease_expires = :now + :seconds,
    last_started = :now, updated = :stamp
WHERE number = (SELECT i.number FROM ingest_jobs AS i
                WHERE i.state IN ('queued', 'running')
                  AND (i.state = 'queued' OR i.lease_expires <= :now)
                ORDER BY (SELECT max(t.last_started) FROM ingest_jobs AS t
                          WHERE t.tenant = i.tenant) NULLS FIRST,
                         (SELECT max(a.last_started) FROM ingest_jobs AS a
                          WHERE a.tenant = i.tenant AND a.principal = i.principal
                            AND a.credential_kind = i.credential_kind) NULLS FIRST,
                         i.number
                LIMIT 1)
RETURNING id, requester, authenticated_by, request, state, attempts, created, updated, progress,
          result, error;

-- name: renew_lease
UPDATE ingest_jobs SET lease_expires = :now + :seconds, progress = :progress, updated = :stamp
WHERE id = :id AND worker = :worker AND state = 'running' AND lease_expires > :now;

-- name: running_job
-- What its checksum covers.
-- row: text text text text text text text text text text integer
SELECT id, tenant, principal, credential_kind, requester, authenticated_by, request, created,
       result, error, checksum
FROM ingest_jobs WHERE id = :id AND worker = :worker AND state = 'running';

-- name: finish_job
UPDATE ingest_jobs
SET state = :state, result = :result, error = :error, checksum = :checksum, worker = '',
    lease_expires = NULL, updated = :stamp
WHERE id = :id AND worker = :worker AND state = 'running' AND lease_expires > :now;

-- name: release_job
UPDATE ingest_jobs
SET state = 'queued', attempts = attempts - :back, worker = '', lease_expires = NULL,
    updated = :stamp
WHERE id = :id AND worker = :worker AND state = 'running' AND lease_expires > :now;

-- name: add_key
INSERT INTO api_keys (id, tenant, principal, created, expires, note, secret_hash, checksum)
VALUES (:id, :tenant, :principal, :created, :expires, :note, :secret_hash, :checksum);

-- name: find_key
-- Whatever its tenant is.
-- row: text text text text text? text blob
SELECT id, tenant, principal, created, expires, note, secret_hash FROM api_keys WHERE id = :id;

-- name: keys_of_tenant
-- row: text text text text text? text
SELECT id, tenant, principal, created, expires, note FROM api_keys
WHERE tenant = :tenant ORDER BY created, id;

-- name: delete_key
DELETE FROM api_keys WHERE tenant = :tenant AND id = :id;

-- What checksums cover, as in checksums.sql. Of a job, what its server changes while it runs is left
-- out.

-- name: api_keys
SELECT id, tenant, principal, created, expires, note, secret_hash, checksum FROM api_keys;

-- name: ingest_jobs
SELECT id, tenant, principal, credential_kind, requester, authenticated_by, request, created,
       result, error, checksum
FROM ingest_jobs;
