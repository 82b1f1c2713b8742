-- What servers on one store share, in a file of its own, since ingests lock the store for long.
-- What a `checksum` covers is in adapters/sql/queries/checksums.sql.

-- `secret_hash` is SHA-256 of at least 256 random bits.
CREATE TABLE api_keys (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    principal   TEXT NOT NULL,
    created     TEXT NOT NULL,
    expires     TEXT,
    note        TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    checksum    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created, id);

-- `requester` and `request` are JSON; `authenticated_by` is the requester's credential, and
-- `credential_kind` its kind. The server `worker` runs the job until `lease_expires`.
CREATE TABLE ingest_jobs (
    number           INTEGER PRIMARY KEY AUTOINCREMENT,
    id               TEXT NOT NULL UNIQUE,
    tenant           TEXT NOT NULL,
    principal        TEXT NOT NULL,
    credential_kind  TEXT NOT NULL,
    requester        TEXT NOT NULL,
    authenticated_by TEXT NOT NULL,
    request          TEXT NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed')),
    attempts         INTEGER NOT NULL,
    created          TEXT NOT NULL,
    updated          TEXT NOT NULL,
    progress         TEXT NOT NULL,
    result           TEXT NOT NULL,
    error            TEXT NOT NULL,
    checksum         INTEGER NOT NULL,
    worker           TEXT NOT NULL DEFAULT '',
    lease_expires    REAL,
    last_started     REAL
) STRICT;
CREATE INDEX ingest_jobs_by_owner ON ingest_jobs (tenant, principal, credential_kind, number);
CREATE INDEX ingest_jobs_by_last_start ON ingest_jobs (tenant, principal, credential_kind,
last_started);
CREATE INDEX ingest_jobs_by_tenant ON ingest_jobs (tenant, last_started);
CREATE INDEX ingest_jobs_pending ON ingest_jobs (number) WHERE state IN ('queued', 'running');
