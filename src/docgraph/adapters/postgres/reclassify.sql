-- The access class that each row has for row-level security: kept equal to that of its document.

-- name: reclassify_nodes
UPDATE document_nodes AS n SET access_class = d.access_class FROM documents AS d
WHERE d.version = n.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_chunks
UPDATE vector_chunks AS c SET access_class = d.access_class FROM documents AS d
WHERE d.version = c.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_embeddings
UPDATE document_embeddings AS e SET access_class = d.access_class FROM documents AS d
WHERE d.version = e.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_summary_vectors
UPDATE summary_vectors AS v SET access_class = d.access_class FROM documents AS d
WHERE d.version = v.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_node_vectors
UPDATE node_vectors AS v SET access_class = d.access_class FROM documents AS d
WHERE d.version = v.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_chunk_vectors
UPDATE chunk_vectors AS v SET access_class = d.access_class FROM documents AS d
WHERE d.version = v.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_definitions
UPDATE definitions AS def SET access_class = d.access_class FROM documents AS d
WHERE d.version = def.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: reclassify_references
UPDATE node_references AS ref SET access_class = d.access_class FROM documents AS d
WHERE d.version = ref.version AND d.version = ANY (%(versions)s::bigint[]);

-- name: segments_of_versions
-- And those of a running ingest: a class may have changed after it packed them.
SELECT id, access_class, versions FROM segments
WHERE branch = %(branch)s
  AND (versions OPERATOR(pg_catalog.&&) %(versions)s::bigint[]
       OR snapshot > (SELECT newest_snapshot FROM branches WHERE id = %(branch)s));

-- name: classes_of_versions
SELECT version, access_class FROM documents WHERE version = ANY (%(versions)s::bigint[]);

-- name: reclassify_segment
UPDATE segments SET access_class = %(access_class)s WHERE id = %(segment)s;

-- name: misclassified_rows
-- Rows of another class than their document.
SELECT 'nodes', count(*) FROM document_nodes AS n JOIN documents AS d ON d.version = n.version
WHERE n.access_class <> d.access_class
UNION ALL
SELECT 'chunks', count(*) FROM vector_chunks AS c JOIN documents AS d ON d.version = c.version
WHERE c.access_class <> d.access_class
UNION ALL
SELECT 'embeddings', count(*) FROM document_embeddings AS e
    JOIN documents AS d ON d.version = e.version
WHERE e.access_class <> d.access_class
UNION ALL
SELECT 'summary vectors', count(*) FROM summary_vectors AS v
    JOIN documents AS d ON d.version = v.version
WHERE v.access_class <> d.access_class
UNION ALL
SELECT 'node vectors', count(*) FROM node_vectors AS v JOIN documents AS d ON d.version = v.version
WHERE v.access_class <> d.access_class
UNION ALL
SELECT 'chunk vectors', count(*) FROM chunk_vectors AS v
    JOIN documents AS d ON d.version = v.version
WHERE v.access_class <> d.access_class
UNION ALL
SELECT 'definitions', count(*) FROM definitions AS def
    JOIN documents AS d ON d.version = def.version
WHERE def.access_class <> d.access_class
UNION ALL
SELECT 'references', count(*) FROM node_references AS ref
    JOIN documents AS d ON d.version = ref.version
WHERE ref.access_class <> d.access_class
UNION ALL
SELECT 'segments', count(DISTINCT s.id)
FROM segments AS s CROSS JOIN unnest(s.versions) AS packed (version)
    JOIN documents AS d ON d.version = packed.version
WHERE s.access_class <> d.access_class;
