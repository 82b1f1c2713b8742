-- What servers on one store share, in a file of its own: ingests write to the store for long.

-- `secret_hash` is SHA-256 of 256 random bits and more.
CREATE TABLE api_keys (
    id          TEXT PRIMARY KEY,
    tenant      TEXT NOT NULL,
    person      TEXT NOT NULL,
    created     TEXT NOT NULL,
    expires     TEXT,
    note        TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created, id);

-- `asked_by` and `request` are JSON. `credential` is the kind that `asker` tells of.
-- A server is the `owner` of what it does until `lease`; `begun` is when it was claimed last.
CREATE TABLE ingestions (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    id         TEXT NOT NULL UNIQUE,
    tenant     TEXT NOT NULL,
    person     TEXT NOT NULL,
    credential TEXT NOT NULL,
    asked_by   TEXT NOT NULL,
    asker      TEXT NOT NULL,
    request    TEXT NOT NULL,
    state      TEXT NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed')),
    attempts   INTEGER NOT NULL,
    created    TEXT NOT NULL,
    updated    TEXT NOT NULL,
    progress   TEXT NOT NULL,
    result     TEXT NOT NULL,
    error      TEXT NOT NULL,
    owner      TEXT NOT NULL DEFAULT '',
    lease      REAL,
    begun      REAL
) STRICT;
CREATE INDEX ingestions_by_asker ON ingestions (tenant, person, credential, number);
CREATE INDEX ingestions_by_turn ON ingestions (tenant, person, credential, begun);
CREATE INDEX ingestions_by_tenant ON ingestions (tenant, begun);
CREATE INDEX ingestions_to_do ON ingestions (number) WHERE state IN ('queued', 'running');
