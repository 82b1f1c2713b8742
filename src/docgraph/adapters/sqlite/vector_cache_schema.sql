-- A user's cache of vectors. `hash` is that of tenant, embedder and text; `used` is the day on which
-- the vector was last used. The `checksum` is CRC-32 of hash and vector.
CREATE TABLE cached_vectors (
    id       INTEGER PRIMARY KEY,
    hash     BLOB NOT NULL UNIQUE,
    vector   BLOB NOT NULL,
    used     INTEGER NOT NULL,
    checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX cached_vectors_by_use ON cached_vectors (used);
