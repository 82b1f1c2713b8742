-- Packed segments: arrays and posting lists.

-- name: add_segment
-- row: integer
INSERT INTO segments (branch, snapshot, chunk_count, checksum, arrays)
VALUES (:branch, :snapshot, :chunk_count, :checksum, :arrays) RETURNING id;

-- name: add_postings
INSERT INTO postings (segment, term, chunks, frequencies)
VALUES (:segment, :term, :chunks, :frequencies);

-- name: segments_of_branch
-- The second column is the access class; without row-level security a segment has none.
-- row: integer integer integer
SELECT id, 0, chunk_count FROM segments WHERE branch = :branch ORDER BY chunk_count, id;

-- name: arrays_of_segment
-- row: blob
SELECT arrays FROM segments WHERE id = :segment;

-- name: delete_postings
DELETE FROM postings WHERE segment IN :segments[bigint];

-- name: delete_segments
DELETE FROM segments WHERE id IN :segments[bigint];
