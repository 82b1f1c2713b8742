-- Every read of every stage selects from these views alone. They run with the rights of the reader,
-- so that row-level security filters every row behind them once more.
--
-- Each begins with the table whose rows are looked up, goes from there to the document, and from
-- there to the requested snapshots; tables are joined in this order (session.sql).
-- `IS TRUE` keeps the set of classes a set, computed once and hashed, not one more table to join.

CREATE VIEW visible_documents WITH (security_invoker) AS
    SELECT d.version, d.id, d.unresolved_calls
    FROM documents AS d
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_texts WITH (security_invoker) AS
    SELECT d.version, d.id, c.hash, c.text
    FROM documents AS d
         JOIN contents AS c ON c.id = d.content
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_nodes WITH (security_invoker) AS
    SELECT n.*, d.id AS document_id, d.path
    FROM document_nodes AS n
         JOIN documents AS d ON d.version = n.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_definitions WITH (security_invoker) AS
    SELECT def.branch, def.key, def.key_hash, def.version, def.rank,
           d.id || def.node_suffix AS node, d.path
    FROM definitions AS def
         JOIN documents AS d ON d.version = def.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_references WITH (security_invoker) AS
    SELECT ref.*, d.id || ref.node_suffix AS source, d.id AS document_id, d.path
    FROM node_references AS ref
         JOIN documents AS d ON d.version = ref.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
            AND ref.miner = ANY (s.miners)
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

-- Mined edges from the side of the definition: reference and definition are both visible, so both
-- nodes are.
CREATE VIEW visible_definition_matches WITH (security_invoker) AS
    SELECT ref.version AS source_version, def.version AS target_version,
           source_doc.id || ref.node_suffix AS source, ref.relation, source_doc.path, ref.line,
           ref.start_offset, ref.end_offset, ref.text, ref.miner, ref.rank, ref.distance_weight,
           ref.inner_suffix, ref.strict, target_doc.id || def.node_suffix AS target,
           target_doc.path AS target_path, def.rank AS target_rank
    FROM definitions AS def
         JOIN documents AS target_doc ON target_doc.version = def.version
         JOIN requested_snapshots() AS target_scope
             ON target_scope.branch = target_doc.branch
            AND target_doc.valid_from <= target_scope.snapshot
            AND target_scope.snapshot < target_doc.valid_to
         JOIN node_references AS ref
             ON ref.branch = def.branch AND ref.key_hash = def.key_hash AND ref.key = def.key
         JOIN documents AS source_doc ON source_doc.version = ref.version
         JOIN requested_snapshots() AS source_scope
             ON source_scope.branch = source_doc.branch
            AND source_doc.valid_from <= source_scope.snapshot
            AND source_scope.snapshot < source_doc.valid_to
            AND ref.miner = ANY (source_scope.miners)
    WHERE (source_doc.access_class IN (SELECT readable_classes())) IS TRUE
      AND (target_doc.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_chunks WITH (security_invoker) AS
    SELECT c.version, c.position, c.id, c.node, c.heading_path, c.first_line, c.last_line,
           c.start_offset, c.end_offset, c.page
    FROM vector_chunks AS c
         JOIN documents AS d ON d.version = c.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

-- Vectors that the requested snapshots have: of documents that are completely embedded there, or of
-- which the summary alone is.

CREATE VIEW visible_node_vectors WITH (security_invoker) AS
    SELECT v.handle, v.version, v.vector, d.id AS document_id
    FROM node_vectors AS v
         JOIN documents AS d ON d.version = v.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
         JOIN document_embeddings AS e
             ON e.version = d.version AND e.is_complete = 1 AND e.id <= s.last_embedding
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_summary_vectors WITH (security_invoker) AS
    SELECT v.version, v.handle, v.vector
    FROM summary_vectors AS v
         JOIN documents AS d ON d.version = v.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
         JOIN document_embeddings AS e
             ON e.version = d.version AND e.is_complete = 0 AND e.id <= s.last_embedding
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE
      AND NOT EXISTS (SELECT 1 FROM document_embeddings AS c
                      WHERE c.version = v.version AND c.is_complete = 1
                        AND c.id <= s.last_embedding);

CREATE VIEW visible_chunk_vectors WITH (security_invoker) AS
    SELECT c.version, c.position, v.vector
    FROM chunk_vectors AS c
         JOIN documents AS d ON d.version = c.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
         JOIN document_embeddings AS e
             ON e.version = d.version AND e.is_complete = 1 AND e.id <= s.last_embedding
         JOIN vectors AS v ON v.id = c.vector_id
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

-- The same from the side of the vectors, for an index over these. Version and position name a
-- chunk's row in an index.
CREATE VIEW visible_vectors WITH (security_invoker) AS
    SELECT v.vector, d.id AS document_id, c.version, c.position
    FROM vectors AS v
         JOIN chunk_vectors AS c ON c.vector_id = v.id
         JOIN documents AS d ON d.version = c.version
         JOIN requested_snapshots() AS s
             ON s.branch = d.branch AND d.valid_from <= s.snapshot AND s.snapshot < d.valid_to
         JOIN document_embeddings AS e
             ON e.version = d.version AND e.is_complete = 1 AND e.id <= s.last_embedding
    WHERE (d.access_class IN (SELECT readable_classes())) IS TRUE;

CREATE VIEW visible_relationships WITH (security_invoker) AS
    SELECT r.source, r.source_document, r.relation, r.target, r.target_document, r.origins,
           r.evidence
    FROM stated_relationships AS r
         JOIN requested_snapshots() AS a
             ON a.branch = r.branch AND r.valid_from <= a.snapshot AND a.snapshot < r.valid_to
    WHERE EXISTS (SELECT 1 FROM visible_nodes AS s WHERE s.id = r.source)
      AND EXISTS (SELECT 1 FROM visible_nodes AS t WHERE t.id = r.target);

-- Packed by access class, so these have rows of other snapshots too: search masks them by version
-- before it reads any number.
CREATE VIEW masked_segments WITH (security_invoker) AS
    SELECT s.id, s.branch, s.arrays
    FROM segments AS s
         JOIN requested_snapshots() AS r ON r.branch = s.branch AND s.snapshot <= r.newest
    WHERE (s.access_class IN (SELECT readable_classes())) IS TRUE;
CREATE VIEW masked_postings WITH (security_invoker) AS
    SELECT p.* FROM postings AS p;
