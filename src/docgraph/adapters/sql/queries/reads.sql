-- What a question reads: every query selects from views alone, which show what its reader may see.

-- name: names_of_handles
-- Ids and kinds behind node handles.
-- row: integer text text
SELECT handle, id, kind FROM visible_nodes WHERE handle IN :handles[bigint];

-- name: handles_of_nodes
-- row: text integer
SELECT id, handle FROM visible_nodes WHERE id IN :ids[text];

-- name: vectors_of_nodes
-- row: text blob
SELECT n.id, v.vector FROM visible_nodes AS n JOIN visible_node_vectors AS v ON v.handle = n.handle
WHERE n.id IN :ids[text];

-- name: summary_vectors_of_nodes
-- row: text blob
SELECT n.id, v.vector
FROM visible_nodes AS n JOIN visible_summary_vectors AS v ON v.handle = n.handle
WHERE n.id IN :ids[text];

-- Vectors of whole versions, in the order of their rows.

-- name: document_vectors
-- row: integer blob
SELECT version, vector FROM visible_node_vectors WHERE handle IN :handles[bigint];

-- name: summary_vectors
-- row: integer blob
SELECT version, vector FROM visible_summary_vectors WHERE version IN :versions[bigint];

-- name: node_vectors
-- row: integer integer blob
SELECT version, handle, vector FROM visible_node_vectors WHERE version IN :versions[bigint]
ORDER BY version, handle;

-- name: chunk_vectors
-- row: integer blob
SELECT version, vector FROM visible_chunk_vectors WHERE version IN :versions[bigint]
ORDER BY version, position;

-- name: kinds_of_nodes
-- row: text text
SELECT id, kind FROM visible_nodes WHERE id IN :ids[text];

-- name: versions_of_nodes
-- row: text integer
SELECT id, version FROM visible_nodes WHERE id IN :ids[text];

-- name: definers
-- row: text text
SELECT DISTINCT substr(key, instr(key, ':') + 1) AS name, node FROM visible_definitions
WHERE branch IN :branches[integer] AND key IN :keys[text]
ORDER BY name, node;

-- name: versions_of_documents
-- row: integer
SELECT DISTINCT version FROM visible_nodes WHERE id IN :ids[text];

-- name: references_of_versions
-- The columns up to `strict` say what a reference means. Those without a definition may be missing.
-- row: integer text text text text integer integer text integer
-- row: integer integer integer text text
SELECT branch, key, source, relation, path, rank, distance_weight, inner_suffix, strict, line,
       start_offset, end_offset, text, miner
FROM visible_references
WHERE version IN :versions[bigint] AND relation IN :relations[text];

-- name: references_of_nodes
-- Those of these nodes alone, and those of others in the versions that they compete with: whose
-- characters are the same or hold them.
-- row: integer text text text text integer integer text integer
-- row: integer integer integer text text
SELECT ref.branch, ref.key, ref.source, ref.relation, ref.path, ref.rank, ref.distance_weight,
       ref.inner_suffix, ref.strict, ref.line, ref.start_offset, ref.end_offset, ref.text, ref.miner
FROM visible_references AS ref
WHERE ref.version IN :versions[bigint] AND ref.relation IN :relations[text]
  AND (ref.source IN :nodes[text]
       OR EXISTS (SELECT 1 FROM visible_references AS own
                  WHERE own.version = ref.version AND own.relation = ref.relation
                    AND own.start_offset >= ref.start_offset AND own.start_offset < ref.end_offset
                    AND own.end_offset <= ref.end_offset AND own.source IN :nodes[text]));

-- name: definitions_of_keys
-- row: text text text integer
SELECT key, node, path, rank FROM visible_definitions
WHERE branch = :branch AND key IN :keys[text];

-- name: references_to_versions
-- References of these relations to keys that the versions define, each with the definition.
-- row: text text text integer integer text integer
-- row: integer integer integer text text
-- row: text text integer
SELECT source, relation, path, rank, distance_weight, inner_suffix, strict,
       line, start_offset, end_offset, text, miner,
       target, target_path, target_rank
FROM visible_definition_matches
WHERE target_version IN :versions[bigint] AND relation IN :relations[text];

-- name: shared_names
-- Names in a document, each with the first few visible documents that contain it.
-- row: text text text
SELECT ref.document_id, ref.miner,
       (SELECT json_group_array(json_array(h.document_id, h.path, h.line, h.text))
        FROM (SELECT s.document_id, s.path, s.line, s.text FROM visible_references AS s
              WHERE s.branch = ref.branch AND s.key = ref.key AND s.relation = ref.relation
              LIMIT :most) AS h)
FROM visible_references AS ref
WHERE ref.version IN :versions[bigint] AND ref.relation = 'shares_entity';

-- name: child_nodes
-- row: text text integer text
SELECT parent, id, first_line, path FROM visible_nodes
WHERE version IN :versions[bigint] AND parent IS NOT NULL;

-- name: count_references
-- Positions by the first miner that found each: those with a definition, those that should have
-- one. `+` keeps SQLite from reading all nodes of a version to find one.
-- row: text text integer integer
SELECT miner, relation, sum(resolved), sum(report_unresolved AND NOT resolved)
FROM (SELECT min(ref.miner) AS miner, ref.relation, max(ref.report_unresolved) AS report_unresolved,
             max(EXISTS (SELECT 1 FROM visible_definitions AS def
                         WHERE def.branch = ref.branch AND def.key = ref.key
                           AND (ref.strict = 0 OR EXISTS
                                (SELECT 1 FROM visible_nodes AS n
                                 WHERE n.id = def.node || ref.inner_suffix
                                   AND +n.version = def.version))))
                 AS resolved
      FROM visible_references AS ref
      WHERE ref.relation <> 'shares_entity'
      GROUP BY ref.version, ref.relation, ref.start_offset, ref.end_offset) AS positions
GROUP BY miner, relation HAVING max(resolved) OR max(report_unresolved) ORDER BY miner, relation;

-- name: count_unresolved_calls
-- row: integer
SELECT CAST(coalesce(sum(unresolved_calls), 0) AS bigint) FROM visible_documents;

-- name: relationships_out
-- row: text text text text text
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE source_document IN :documents[text];

-- name: relationships_in
-- row: text text text text text
SELECT source, relation, target, origins, evidence FROM visible_relationships
WHERE target_document IN :documents[text];

-- name: visible_documents
-- row: integer text
SELECT version, id FROM visible_documents ORDER BY id;

-- name: parents_in_documents
-- row: text text?
SELECT id, parent FROM visible_nodes
WHERE version IN (SELECT version FROM visible_nodes WHERE id IN :documents[text]);

-- name: nodes_by_id
-- row: text integer text text text integer integer integer integer integer? text text
SELECT id, version, kind, title, summary, first_line, last_line, start_offset, end_offset, page,
       document_id, path
FROM visible_nodes WHERE id IN :ids[text];

-- name: chunks_of_versions
-- row: integer integer text text text integer integer integer integer integer?
SELECT version, position, id, node, heading_path, first_line, last_line, start_offset, end_offset,
       page
FROM visible_chunks
WHERE version IN :versions[bigint]
ORDER BY version, position;

-- name: text_of_version
-- row: text
SELECT text FROM visible_texts WHERE version = :version;

-- name: count_nodes
-- row: text integer
SELECT kind, count(*) FROM visible_nodes GROUP BY kind ORDER BY kind;

-- name: count_chunks
-- row: integer
SELECT count(*) FROM visible_chunks;

-- name: postings_of_terms
-- row: text integer blob blob
SELECT term, segment, chunks, frequencies FROM masked_postings
WHERE segment IN :segments[bigint] AND term IN :terms[text]
ORDER BY segment;

-- name: segments_of_branches
-- row: integer
SELECT id FROM masked_segments WHERE branch IN :branches[integer] ORDER BY id;

-- name: segment_arrays
-- row: blob
SELECT arrays FROM masked_segments WHERE id = :segment;

-- name: text_hashes
-- row: text text
SELECT id, hash FROM visible_texts ORDER BY id;

-- name: nodes_of_version
-- row: text text text text text? integer integer integer integer integer? integer
SELECT n.id, n.kind, n.title, n.summary, n.parent, n.first_line, n.last_line, n.start_offset,
       n.end_offset, n.page, n.signature_length
FROM visible_nodes AS n WHERE n.version = :version ORDER BY n.start_offset, n.id;

-- name: chunks_of_version
-- row: integer text text text integer integer integer integer integer?
SELECT position, id, node, heading_path, first_line, last_line, start_offset, end_offset, page
FROM visible_chunks WHERE version = :version ORDER BY position;

-- name: vectors_of_version
-- Of nodes, by their ids.
-- row: text blob
SELECT n.id, v.vector FROM visible_node_vectors AS v JOIN visible_nodes AS n ON n.handle = v.handle
WHERE v.version = :version ORDER BY n.id;

-- name: definitions_of_version
-- row: text text integer
SELECT key, node, rank FROM visible_definitions WHERE version = :version ORDER BY key, node;

-- Rows that an external index proposes: those that are visible, each with its node and its document,
-- all by handle, and its stored vector.

-- name: rows_of_documents
-- row: integer integer integer blob
SELECT n.handle, n.handle, n.handle, v.vector
FROM visible_nodes AS n JOIN visible_node_vectors AS v ON v.handle = n.handle
WHERE n.handle IN :rows[bigint] AND n.id = n.document_id;

-- name: rows_of_sections
-- row: integer integer integer blob
SELECT n.handle, n.handle, r.handle, v.vector
FROM visible_nodes AS n
     JOIN visible_node_vectors AS v ON v.handle = n.handle
     JOIN visible_nodes AS r ON r.version = n.version AND r.id = n.document_id
WHERE n.handle IN :rows[bigint];

-- name: rows_of_chunks
-- row: integer integer integer blob
SELECT c.version * 1048576 + c.position, n.handle, r.handle, v.vector
FROM visible_chunks AS c
     JOIN visible_chunk_vectors AS v ON v.version = c.version AND v.position = c.position
     JOIN visible_nodes AS n ON n.version = c.version AND n.id = c.node
     JOIN visible_nodes AS r ON r.version = n.version AND r.id = n.document_id
WHERE c.version IN :versions[bigint] AND c.version * 1048576 + c.position IN :rows[bigint];
