-- Every read of every stage selects from these views alone. The functions `is_visible(version)`,
-- `is_embedded(version)`, `is_summarized(version)`, `in_scope(branch, valid_from, valid_to)` and
-- `is_mined(branch, miner)` are bound to the reader.

CREATE TEMP VIEW IF NOT EXISTS visible_documents AS
    SELECT d.version, d.id, d.content, d.unresolved_calls
    FROM main.documents AS d WHERE is_visible(d.version);

CREATE TEMP VIEW IF NOT EXISTS visible_texts AS
    SELECT d.version, d.id, c.hash, decompress(c.text) AS text
    FROM visible_documents AS d JOIN main.contents AS c ON c.id = d.content;

-- LEFT JOIN, though every node has its document: SQLite leaves it out of a query that needs neither
-- `document_id` nor `path`.
CREATE TEMP VIEW IF NOT EXISTS visible_nodes AS
    SELECT n.*, d.id AS document_id, d.path
    FROM main.document_nodes AS n LEFT JOIN main.documents AS d ON d.version = n.version
    WHERE is_visible(n.version);

CREATE TEMP VIEW IF NOT EXISTS visible_definitions AS
    SELECT def.branch, def.key, def.version, def.rank, d.id || def.node_suffix AS node, d.path
    FROM main.definitions AS def JOIN main.documents AS d ON d.version = def.version
    WHERE is_visible(def.version);

CREATE TEMP VIEW IF NOT EXISTS visible_references AS
    SELECT ref.*, d.id || ref.node_suffix AS source, d.id AS document_id, d.path
    FROM main.node_references AS ref JOIN main.documents AS d ON d.version = ref.version
    WHERE is_visible(d.version) AND is_mined(ref.branch, ref.miner);

CREATE TEMP VIEW IF NOT EXISTS visible_chunks AS
    SELECT c.version, c.position, c.id, c.node, c.heading_path, c.first_line, c.last_line,
           c.start_offset, c.end_offset, c.page
    FROM main.vector_chunks AS c WHERE is_visible(c.version);

-- Vectors that the snapshot of the reader has.
CREATE TEMP VIEW IF NOT EXISTS visible_summary_vectors AS
    SELECT s.version, s.handle, s.vector FROM main.summary_vectors AS s
    WHERE is_summarized(s.version);

CREATE TEMP VIEW IF NOT EXISTS visible_node_vectors AS
    SELECT n.handle, n.version, n.vector FROM main.node_vectors AS n WHERE is_embedded(n.version);

CREATE TEMP VIEW IF NOT EXISTS visible_chunk_vectors AS
    SELECT c.version, c.position, v.vector
    FROM main.chunk_vectors AS c JOIN main.vectors AS v ON v.id = c.vector_id
    WHERE is_embedded(c.version);

CREATE TEMP VIEW IF NOT EXISTS visible_relationships AS
    SELECT r.source, r.source_document, r.relation, r.target, r.target_document, r.origins,
           r.evidence
    FROM main.stated_relationships AS r
    WHERE in_scope(r.branch, r.valid_from, r.valid_to)
      AND EXISTS (SELECT 1 FROM main.document_nodes AS s
                  WHERE s.id = r.source AND is_visible(s.version))
      AND EXISTS (SELECT 1 FROM main.document_nodes AS t
                  WHERE t.id = r.target AND is_visible(t.version));

-- Packed across documents, so rows cannot be filtered here: search masks them by version before it
-- reads any number.
CREATE TEMP VIEW IF NOT EXISTS masked_postings AS SELECT * FROM main.postings;
CREATE TEMP VIEW IF NOT EXISTS masked_segments AS
    SELECT s.id, s.branch, s.arrays
    FROM main.segments AS s JOIN main.branches AS b ON b.id = s.branch
    WHERE s.snapshot <= b.newest_snapshot;
