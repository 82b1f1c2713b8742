-- name: names_of_handles
-- Ids behind node handles.
SELECT handle, id FROM visible_nodes WHERE handle IN (SELECT value FROM json_each(:handles));

-- name: vectors_of_nodes
SELECT id, vector FROM visible_nodes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: kinds_of_nodes
SELECT id, kind FROM visible_nodes WHERE id IN (SELECT value FROM json_each(:ids));

-- name: definers
SELECT DISTINCT name, node FROM visible_names
WHERE name IN (SELECT value FROM json_each(:names))
ORDER BY name, node;

-- name: edges_out
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE source_document IN (SELECT value FROM json_each(:documents))
ORDER BY source, relation, target, hand;

-- name: edges_in
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE target_document IN (SELECT value FROM json_each(:documents))
ORDER BY source, relation, target, hand;

-- name: edges_listed
SELECT source, relation, target, origins, evidence FROM visible_relationships
ORDER BY source, relation, target, hand;

-- name: parents_in_documents
SELECT n.id, n.parent FROM visible_nodes AS n JOIN visible_documents AS d ON d.ordinal = n.document
WHERE d.ordinal IN (SELECT document FROM visible_nodes
                    WHERE id IN (SELECT value FROM json_each(:documents)));

-- name: nodes_by_id
SELECT n.id, n.document, n.kind, n.title, n.summary, n.first_line, n.last_line, n.start, n.stop,
       n.page, d.id AS document_id, d.branch, d.path
FROM visible_nodes AS n JOIN visible_documents AS d ON d.ordinal = n.document
WHERE n.id IN (SELECT value FROM json_each(:ids));

-- name: chunks_in_span
SELECT id, node, position, start, stop, vector FROM visible_chunks
WHERE document = :document AND start >= :start AND stop <= :stop
ORDER BY position;

-- name: chunk_at
SELECT id, node, heading_path, first_line, last_line, start, stop, page FROM visible_chunks
WHERE document = :document AND position = :position AND start >= :start AND stop <= :stop;

-- name: text_of_document
SELECT text FROM visible_texts WHERE ordinal = :document;

-- name: count_nodes
SELECT kind, count(*) FROM visible_nodes GROUP BY kind ORDER BY kind;

-- name: count_chunks
SELECT count(*) FROM visible_chunks;

-- name: count_edges
SELECT relation, count(*) FROM visible_relationships GROUP BY relation ORDER BY relation;

-- name: postings_of_term
SELECT segment, passages, frequencies FROM masked_postings WHERE term = :term ORDER BY segment;

-- name: segments_of_branches
SELECT id FROM masked_segments WHERE branch IN (SELECT value FROM json_each(:branches))
ORDER BY id;

-- name: all_segments
SELECT id FROM masked_segments;

-- name: segment_arrays
SELECT arrays FROM masked_segments WHERE id = :segment;

-- name: passage_vectors
SELECT vector FROM masked_vectors WHERE id = :vector;
