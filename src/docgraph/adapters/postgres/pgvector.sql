-- {size} is the number of dimensions: an index is for one, and pgvector needs it as a literal.
-- {element} is the type that the index holds: vector, or halfvec where that is too wide for it.

-- name: index_is_valid
-- An index whose creation was interrupted finds nothing.
SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%(name)s);

-- name: drop_invalid_index
DROP INDEX CONCURRENTLY {index};

-- name: create_node_index
CREATE INDEX CONCURRENTLY {index} ON node_vectors
USING hnsw ((vector::{element}({size})) {operators}) WHERE vector_dims(vector) = {size};

-- name: create_vector_index
CREATE INDEX CONCURRENTLY {index} ON vectors
USING hnsw ((vector::{element}({size})) {operators}) WHERE vector_dims(vector) = {size};

-- name: enable_index_scan
-- The scan continues until enough visible rows are found, in the order of their distance.
SELECT set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.ef_search', %(breadth)s, true),
       set_config('hnsw.max_scan_tuples', %(most)s, true),
       set_config('enable_seqscan', 'off', true),
       set_config('enable_sort', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true),
       set_config('enable_material', 'off', true);

-- name: reset_index_scan
SELECT set_config('enable_seqscan', 'on', true),
       set_config('enable_sort', 'on', true),
       set_config('enable_hashjoin', 'on', true),
       set_config('enable_mergejoin', 'on', true),
       set_config('enable_material', 'on', true);

-- The nearest rows, each with its node and its document, all by handle, and the exact product.
-- {unindexed} is `+ 0` where every visible row is compared: no index has that order; {ties} is then
-- WITH TIES, else ONLY.

-- name: nearest_documents
SELECT v.handle, v.handle, v.handle, -(v.vector::vector({size}) <#> %(asked)s::vector({size}))
FROM visible_node_vectors AS v JOIN visible_nodes AS n ON n.handle = v.handle
WHERE vector_dims(v.vector) = {size} AND n.id = v.document_id
ORDER BY (v.vector::{element}({size}) <#> %(asked)s::{element}({size})) {unindexed}
FETCH FIRST (%(most)s) ROWS {ties};

-- name: nearest_sections
SELECT f.handle, f.handle, (SELECT r.handle FROM visible_nodes AS r WHERE r.id = f.document_id),
       -f.distance
FROM (SELECT handle, document_id, vector::vector({size}) <#> %(asked)s::vector({size}) AS distance
      FROM visible_node_vectors WHERE vector_dims(vector) = {size}
      ORDER BY (vector::{element}({size}) <#> %(asked)s::{element}({size})) {unindexed}
      FETCH FIRST (%(most)s) ROWS {ties}) AS f;

-- name: nearest_chunks
SELECT f.version * 1048576 + f.position,
       (SELECT n.handle FROM visible_chunks AS c JOIN visible_nodes AS n ON n.id = c.node
        WHERE c.version = f.version AND c.position = f.position),
       (SELECT r.handle FROM visible_nodes AS r WHERE r.id = f.document_id), -f.distance
FROM (SELECT version, position, document_id,
             vector::vector({size}) <#> %(asked)s::vector({size}) AS distance
      FROM visible_vectors WHERE vector_dims(vector) = {size}
      ORDER BY (vector::{element}({size}) <#> %(asked)s::{element}({size})) {unindexed}
      FETCH FIRST (%(most)s) ROWS {ties}) AS f;
