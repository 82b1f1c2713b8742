-- name: stored_vectors
-- The last four columns are those of checksums.sql.
SELECT id, space, hash, vector, checksum FROM vectors
WHERE space = %(space)s AND hash = ANY (%(hashes)s::bytea[]);

-- name: vector_ids
SELECT hash, id FROM vectors WHERE space = %(space)s AND hash = ANY (%(hashes)s::bytea[]);

-- name: add_vector
-- In one order everywhere: another ingest of the tenant may be adding the same.
INSERT INTO vectors (space, hash, vector, checksum)
SELECT * FROM unnest(%(space)b::integer[], %(hash)b::bytea[], %(vector)b::vector[],
                     %(checksum)b::bigint[])
     AS v (space, hash, vector, checksum)
ORDER BY hash ON CONFLICT DO NOTHING;
