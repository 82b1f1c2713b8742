-- What a question reads: every query selects from views alone, which show what its reader may see.

-- name: names_of_handles
-- Ids and kinds behind node handles.
SELECT handle, id, kind FROM visible_nodes WHERE handle IN :handles[bigint];

-- name: handles_of_nodes
SELECT id, handle FROM visible_nodes WHERE id IN :ids[text];

-- name: vectors_of_nodes
SELECT id, vector FROM visible_nodes WHERE id IN :ids[text];

-- name: kinds_of_nodes
SELECT id, kind FROM visible_nodes WHERE id IN :ids[text];

-- name: definers
SELECT DISTINCT substr(key, instr(key, ':') + 1) AS name, node FROM visible_offers
WHERE branch IN :branches[integer] AND key IN :keys[text]
ORDER BY name, node;

-- name: ordinals_of_documents
SELECT DISTINCT document FROM visible_nodes WHERE id IN :ids[text];

-- name: meetings_of_claimants
SELECT source, relation, path, line, start, stop, says, miner, rank, near, inner_id, strict,
       offered, offered_path, offered_rank, holds
FROM visible_meetings
WHERE claimant IN :documents[bigint] AND relation IN :relations[text];

-- name: meetings_of_offerers
-- From the offers' side: which claims of these relations do they meet?
SELECT source, relation, path, line, start, stop, says, miner, rank, near, inner_id, strict,
       offered, offered_path, offered_rank, holds
FROM visible_answers
WHERE offerer IN :documents[bigint] AND relation IN :relations[text];

-- name: shared_names
-- Names that a document holds, each with the first few visible documents that hold it.
SELECT c.document_id, c.miner,
       (SELECT json_group_array(json_array(h.document_id, h.path, h.line, h.says))
        FROM (SELECT s.document_id, s.path, s.line, s.says FROM visible_claims AS s
              WHERE s.branch = c.branch AND s.key = c.key AND s.relation = c.relation
              LIMIT :most) AS h)
FROM visible_claims AS c
WHERE c.document IN :documents[bigint] AND c.relation = 'shares_entity';

-- name: inner_nodes
SELECT parent, id, first_line, path FROM visible_nodes
WHERE document IN :documents[bigint] AND parent IS NOT NULL;

-- name: places_claimed
-- Places by the first miner who found each: those that meet an offer, those that should and do not.
SELECT miner, relation, sum(met), sum(reported AND NOT met)
FROM (SELECT min(c.miner) AS miner, c.relation, max(c.reported) AS reported,
             max(EXISTS (SELECT 1 FROM visible_offers AS o
                         WHERE o.branch = c.branch AND o.key = c.key
                           AND (c.strict = 0 OR EXISTS
                                (SELECT 1 FROM visible_nodes AS n
                                 WHERE n.id = o.node || c.inner_id AND n.document = o.document))))
                 AS met
      FROM visible_claims AS c
      WHERE c.relation <> 'shares_entity'
      GROUP BY c.document, c.relation, c.start, c.stop) AS places
GROUP BY miner, relation HAVING max(met) OR max(reported) ORDER BY miner, relation;

-- name: opaque_calls
SELECT CAST(coalesce(sum(opaque), 0) AS bigint) FROM visible_documents;

-- name: stated_out
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE source_document IN :documents[text];

-- name: stated_in
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE target_document IN :documents[text];

-- name: visible_documents
SELECT ordinal, id FROM visible_documents ORDER BY id;

-- name: parents_in_documents
SELECT id, parent FROM visible_nodes
WHERE document IN (SELECT document FROM visible_nodes WHERE id IN :documents[text]);

-- name: nodes_by_id
SELECT id, document, kind, title, summary, first_line, last_line, start, stop, page, document_id,
       path
FROM visible_nodes WHERE id IN :ids[text];

-- name: chunks_of_documents
SELECT document, position, vector, id, node, heading_path, first_line, last_line, start, stop, page
FROM visible_chunks
WHERE document IN :documents[bigint]
ORDER BY document, position;

-- name: text_of_document
SELECT text FROM visible_texts WHERE ordinal = :document;

-- name: count_nodes
SELECT kind, count(*) FROM visible_nodes GROUP BY kind ORDER BY kind;

-- name: count_chunks
SELECT count(*) FROM visible_chunks;

-- name: postings_of_terms
SELECT term, segment, passages, frequencies FROM masked_postings
WHERE segment IN :segments[bigint] AND term IN :terms[text]
ORDER BY segment;

-- name: segments_of_branches
SELECT id FROM masked_segments WHERE branch IN :branches[integer] ORDER BY id;

-- name: segment_arrays
SELECT arrays FROM masked_segments WHERE id = :segment;

-- name: segment_columns
-- All but the vectors: five columns of chunks and three of nodes, each with NumPy's header.
SELECT substr(arrays, 1, 5 * (128 + 8 * passages) + 3 * (128 + 8 * nodes))
FROM masked_segments WHERE id = :segment;

-- name: passage_vectors
SELECT id, vector FROM masked_vectors WHERE id IN :vectors[bigint];

-- name: versions
SELECT id, hash FROM visible_texts ORDER BY id;

-- name: nodes_whole
SELECT n.id, n.kind, n.title, n.summary, n.parent, n.first_line, n.last_line, n.start, n.stop,
       n.page, n.vector
FROM visible_nodes AS n WHERE n.document = :document ORDER BY n.start, n.id;

-- name: chunks_whole
SELECT position, id, node, heading_path, first_line, last_line, start, stop, page, vector
FROM visible_chunks WHERE document = :document ORDER BY position;

-- name: offers_whole
SELECT key, node, rank FROM visible_offers WHERE document = :document ORDER BY key, node;

-- Rows that an external index proposes: those that are visible, each with its node and its document,
-- all by handle, and its stored vector.

-- name: rows_of_documents
SELECT handle, handle, handle, vector FROM visible_nodes
WHERE handle IN :rows[bigint] AND id = document_id;

-- name: rows_of_sections
SELECT n.handle, n.handle, r.handle, n.vector
FROM visible_nodes AS n
     JOIN visible_nodes AS r ON r.document = n.document AND r.id = n.document_id
WHERE n.handle IN :rows[bigint];

-- name: rows_of_passages
SELECT c.document * 1048576 + c.position, n.handle, r.handle, c.vector
FROM visible_chunks AS c
     JOIN visible_nodes AS n ON n.document = c.document AND n.id = c.node
     JOIN visible_nodes AS r ON r.document = n.document AND r.id = n.document_id
WHERE c.document IN :versions[bigint] AND c.document * 1048576 + c.position IN :rows[bigint];
