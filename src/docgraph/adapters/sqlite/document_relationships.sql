-- What SQLite says in its own way in adapters/sql/document_relationships.sql. A person who can open
-- the file sees every row of the view: docgraph itself reads from the views of visible.sql alone.

-- name: create
CREATE VIEW document_relationships AS

-- name: listed_documents
listed_branches AS MATERIALIZED (
    SELECT b.id, b.tenant, b.repository, b.name, b.newest_snapshot AS snapshot, s.miners,
           row_number() OVER (PARTITION BY b.tenant, b.repository
                              ORDER BY b.name <> 'main', b.name <> 'master', b.name) = 1
               AS by_default
    FROM branches AS b JOIN snapshots AS s ON s.branch = b.id AND s.number = b.newest_snapshot
    WHERE EXISTS (SELECT 1 FROM documents AS d
                  WHERE d.branch = b.id AND d.valid_from <= b.newest_snapshot
                    AND b.newest_snapshot < d.valid_to)
),
listed_documents AS MATERIALIZED (
    SELECT d.version, d.branch, d.id, d.path, b.tenant, b.repository, b.by_default, b.miners
    FROM listed_branches AS b
         JOIN documents AS d
             ON d.branch = b.id AND d.valid_from <= b.snapshot AND b.snapshot < d.valid_to
)

-- name: is_mined
ref.miner IN (SELECT value FROM json_each(d.miners))

-- name: same_key
def.branch = ref.branch AND def.key = ref.key

-- name: distance
(length(ref.path) - length(replace(ref.path, '/', ''))
 + length(d.path) - length(replace(d.path, '/', ''))
 - 2 * (WITH RECURSIVE folders (prefix, rest) AS
            (SELECT '', ref.path
             UNION ALL
             SELECT prefix || substr(rest, 1, instr(rest, '/')), substr(rest, instr(rest, '/') + 1)
             FROM folders WHERE instr(rest, '/') > 0)
        SELECT count(*) FROM folders
        WHERE prefix <> '' AND prefix = substr(d.path, 1, length(prefix))))

-- name: stated_origin
origin.value

-- name: each_stated_origin
CROSS JOIN json_each(stated.origins) AS origin

-- name: stated_position
json_extract(e.value, '$[0]'), json_extract(e.value, '$[1]'), json_extract(e.value, '$[2]'),
json_extract(e.value, '$[3]'), json_extract(e.value, '$[4]'), json_extract(e.value, '$[5]')

-- name: each_stated_position
CROSS JOIN json_each(stated.evidence) AS e

-- name: merged
-- Window frames, because SQLite orders an aggregate from version 3.44 on. Of the rows of an edge,
-- which are all the same then, the first is taken.
merged AS (
    SELECT * FROM
        (SELECT branch, source_branch, source, relation, target,
                row_number() OVER edge AS edge_row,
                max(origin IS 'manual') OVER edge AS is_manual,
                max(path IS NOT NULL) OVER edge AS has_positions,
                max(wins) OVER edge AS some_win,
                max(wins AND competes AND number <= 50) OVER edge AS has_characters,
                json_group_array(origin) FILTER (WHERE origin IS NOT NULL AND origin_copy = 1)
                    OVER (edge ORDER BY origin
                          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS origins,
                json_group_array(json_object('path', path, 'line', line, 'start', start_offset,
                                             'end', end_offset, 'rank', rank, 'text', text))
                    FILTER (WHERE wins AND copy = 1 AND number <= 50)
                    OVER (edge ORDER BY number
                          ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS evidence
         FROM (SELECT *, row_number() OVER (PARTITION BY branch, source, relation, target, origin)
                             AS origin_copy
               FROM numbered)
         WINDOW edge AS (PARTITION BY branch, source, relation, target))
    WHERE edge_row = 1
)
