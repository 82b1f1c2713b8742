-- Packed segments: arrays and posting lists.

-- name: add_segment
INSERT INTO segments (branch, born, passages, nodes, arrays)
VALUES (:branch, :born, :passages, :nodes, :arrays) RETURNING id;

-- name: add_postings
INSERT INTO postings (segment, term, passages, frequencies)
VALUES (:segment, :term, :passages, :frequencies);

-- name: segments_of_branch
-- The second column is the access group; without row-level security there is one.
SELECT id, 0, passages FROM segments WHERE branch = :branch ORDER BY passages, id;

-- name: place_of_segment
SELECT branch, born FROM segments WHERE id = :segment;

-- name: arrays_of_segment
SELECT arrays FROM segments WHERE id = :segment;

-- name: postings_of_segments
SELECT term, segment, passages, frequencies FROM postings
WHERE segment IN :segments[bigint] ORDER BY term, segment;

-- name: drop_postings
DELETE FROM postings WHERE segment IN :segments[bigint];

-- name: drop_segments
DELETE FROM segments WHERE id IN :segments[bigint];
