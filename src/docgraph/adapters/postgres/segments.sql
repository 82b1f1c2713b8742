-- name: add_segment
INSERT INTO segments (branch, class, born, passages, nodes, documents, arrays)
VALUES (%(branch)s, %(group)s, %(born)s, %(passages)s, %(nodes)s, %(documents)s::bigint[],
        %(arrays)s)
RETURNING id;

-- name: add_postings
COPY postings (segment, term, passages, frequencies) FROM STDIN (FORMAT binary);

-- name: segments_of_branch
SELECT id, class, passages FROM segments WHERE branch = %(branch)s ORDER BY passages, id;

-- name: place_of_segment
SELECT branch, born FROM segments WHERE id = %(segment)s;

-- name: arrays_of_segment
SELECT arrays FROM segments WHERE id = %(segment)s;

-- name: postings_of_segments
SELECT term, segment, passages, frequencies FROM postings
WHERE segment = ANY (%(segments)s::bigint[]) ORDER BY term, segment;

-- name: drop_postings
DELETE FROM postings WHERE segment = ANY (%(segments)s::bigint[]);

-- name: drop_segments
DELETE FROM segments WHERE id = ANY (%(segments)s::bigint[]);
