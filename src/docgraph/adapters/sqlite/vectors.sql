-- name: find_vector
-- The last four columns are those of checksums.sql.
-- row: integer integer blob blob integer
SELECT id, space, hash, vector, checksum FROM vectors WHERE space = :space AND hash = :hash;

-- name: last_vector_id
-- row: integer
SELECT coalesce(max(id), 0) FROM vectors;

-- name: add_vector
INSERT INTO vectors (id, space, hash, vector, checksum)
VALUES (:id, :space, :hash, :vector, :checksum);

-- name: vector_id
-- row: integer
SELECT id FROM vectors WHERE space = :space AND hash = :hash;
