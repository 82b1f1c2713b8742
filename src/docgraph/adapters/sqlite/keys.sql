-- API keys.

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
