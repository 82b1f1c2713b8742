-- The class that is stored with each row, for row-level security: kept equal to that of its path.

-- name: move_documents
-- The documents' class is that of their path.
UPDATE documents AS d SET class = a.class FROM document_access AS a
WHERE a.branch = d.branch AND a.path = d.path AND d.class <> a.class
  AND d.branch = %(branch)s AND d.path = ANY (%(paths)s::text[])
RETURNING d.ordinal, d.class;

-- name: move_nodes
UPDATE document_nodes AS n SET class = d.class FROM documents AS d
WHERE d.ordinal = n.document AND d.ordinal = ANY (%(documents)s::bigint[]);

-- name: move_chunks
UPDATE vector_chunks AS c SET class = d.class FROM documents AS d
WHERE d.ordinal = c.document AND d.ordinal = ANY (%(documents)s::bigint[]);

-- name: move_offers
UPDATE offers AS o SET class = d.class FROM documents AS d
WHERE d.ordinal = o.document AND d.ordinal = ANY (%(documents)s::bigint[]);

-- name: move_claims
UPDATE claims AS c SET class = d.class FROM documents AS d
WHERE d.ordinal = c.document AND d.ordinal = ANY (%(documents)s::bigint[]);

-- name: segments_of_documents
-- And those of an ingest under way: a class may have changed after it packed them.
SELECT id, class, documents FROM segments
WHERE branch = %(branch)s
  AND (documents OPERATOR(pg_catalog.&&) %(documents)s::bigint[]
       OR born > (SELECT newest FROM branches WHERE id = %(branch)s));

-- name: classes_of_documents
SELECT ordinal, class FROM documents WHERE ordinal = ANY (%(documents)s::bigint[]);

-- name: move_segment
UPDATE segments SET class = %(class)s WHERE id = %(segment)s;

-- name: astray
-- Rows of another class than their document.
SELECT 'documents', count(*) FROM documents AS d
    JOIN branches AS b ON b.id = d.branch
    JOIN document_access AS a ON a.branch = d.branch AND a.path = d.path
WHERE d.born <= b.newest AND a.class <> d.class
UNION ALL
SELECT 'nodes', count(*) FROM document_nodes AS n JOIN documents AS d ON d.ordinal = n.document
WHERE n.class <> d.class
UNION ALL
SELECT 'chunks', count(*) FROM vector_chunks AS c JOIN documents AS d ON d.ordinal = c.document
WHERE c.class <> d.class
UNION ALL
SELECT 'names', count(*) FROM offers AS o JOIN documents AS d ON d.ordinal = o.document
WHERE o.class <> d.class
UNION ALL
SELECT 'claims', count(*) FROM claims AS c JOIN documents AS d ON d.ordinal = c.document
WHERE c.class <> d.class
UNION ALL
SELECT 'segments', count(DISTINCT s.id)
FROM segments AS s CROSS JOIN unnest(s.documents) AS held (ordinal)
    JOIN documents AS d ON d.ordinal = held.ordinal
WHERE s.class <> d.class;
