-- What servers share: API keys, and the book of ingestions. Both are looked at by tenant as
-- docgraph_reader, under row_security.sql. Before a tenant is known (whoever shows a key has not
-- said where they belong; a server does the oldest ingestion, whosever it is) the owner looks, as
-- the owner writes: by a key's id, and by what nobody works on. No function is needed that does
-- more than its caller may, which could be called with other intentions.

-- `secret_hash` is SHA-256 of 256 random bits and more. No reader is granted that column.
CREATE TABLE api_keys (
    id          text COLLATE "C" PRIMARY KEY,
    tenant      text COLLATE "C" NOT NULL,
    person      text COLLATE "C" NOT NULL,
    created     text COLLATE "C" NOT NULL,
    expires     text,
    note        text NOT NULL,
    secret_hash bytea NOT NULL CHECK (length(secret_hash) = 32)
);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, created, id);

-- `asked_by` and `request` are JSON. `credential` is the kind that `asker` tells of.
-- A server is the `owner` of what it does until `lease`; `begun` is when it was claimed last.
CREATE TABLE ingestions (
    number     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id         text COLLATE "C" NOT NULL UNIQUE,
    tenant     text COLLATE "C" NOT NULL,
    person     text COLLATE "C" NOT NULL,
    credential text COLLATE "C" NOT NULL,
    asked_by   text NOT NULL,
    asker      text NOT NULL,
    request    text NOT NULL,
    state      text NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed')),
    attempts   integer NOT NULL,
    created    text NOT NULL,
    updated    text NOT NULL,
    progress   text NOT NULL,
    result     text NOT NULL,
    error      text NOT NULL,
    owner      text COLLATE "C" NOT NULL DEFAULT '',
    lease      timestamptz,
    begun      timestamptz
);
CREATE INDEX ingestions_by_asker ON ingestions (tenant, person, credential, number);
CREATE INDEX ingestions_by_turn ON ingestions (tenant, person, credential, begun);
CREATE INDEX ingestions_by_tenant ON ingestions (tenant, begun);
CREATE INDEX ingestions_to_do ON ingestions (number) WHERE state IN ('queued', 'running');
