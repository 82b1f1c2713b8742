-- name: astray
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
