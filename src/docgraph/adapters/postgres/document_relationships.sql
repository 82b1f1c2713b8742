-- What Postgres says in its own way in adapters/sql/document_relationships.sql. The view runs with
-- the rights of its caller: docgraph_reader sees what row-level security shows of the requested
-- snapshots, and ambiguity is resolved over that alone.

-- name: create
CREATE OR REPLACE VIEW document_relationships WITH (security_invoker) AS

-- name: listed_documents
listed_branches AS MATERIALIZED (
    SELECT b.id, b.tenant, b.repository, b.name, s.snapshot, s.miners, s.by_default
    FROM listed_snapshots() AS s JOIN branches AS b ON b.id = s.branch
),
listed_documents AS MATERIALIZED (
    SELECT d.version, d.branch, d.id, d.path, b.tenant, b.repository, b.by_default, b.miners
    FROM listed_branches AS b
         JOIN documents AS d
             ON d.branch = b.id AND d.valid_from <= b.snapshot AND b.snapshot < d.valid_to
)

-- name: is_mined
ref.miner = ANY (d.miners)

-- name: same_key
def.branch = ref.branch AND def.key_hash = ref.key_hash AND def.key = ref.key

-- name: distance
(SELECT cardinality(f.here) + cardinality(f.there)
        - 2 * (SELECT count(*)::integer FROM generate_series(1, cardinality(f.here)) AS i
               WHERE f.here[:i] = f.there[:i])
 FROM (SELECT trim_array(string_to_array(ref.path, '/'), 1) AS here,
              trim_array(string_to_array(d.path, '/'), 1) AS there) AS f)

-- name: stated_origin
origin COLLATE "C"

-- name: each_stated_origin
CROSS JOIN jsonb_array_elements_text(stated.origins::jsonb) AS origin

-- name: stated_position
(e ->> 0) COLLATE "C", (e ->> 1)::integer, (e ->> 2)::integer, (e ->> 3)::integer,
(e ->> 4)::integer, (e ->> 5) COLLATE "C"

-- name: each_stated_position
CROSS JOIN jsonb_array_elements(stated.evidence::jsonb) AS e

-- name: merged
merged AS (
    SELECT branch, source_branch, source, relation, target,
           coalesce(bool_or(origin = 'manual'), false) AS is_manual,
           bool_or(path IS NOT NULL) AS has_positions,
           bool_or(wins) AS some_win,
           bool_or(wins AND competes AND number <= 50) AS has_characters,
           to_jsonb(array_agg(DISTINCT origin) FILTER (WHERE origin IS NOT NULL)) AS origins,
           coalesce(jsonb_agg(jsonb_build_object('path', path, 'line', line, 'start', start_offset,
                                                 'end', end_offset, 'rank', rank, 'text', text)
                              ORDER BY number) FILTER (WHERE wins AND copy = 1 AND number <= 50),
                    '[]') AS evidence
    FROM numbered
    GROUP BY branch, source_branch, source, relation, target
)
