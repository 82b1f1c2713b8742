-- The one place where reads begin: every read of every stage selects from these views alone.
-- `is_visible(ordinal)`, `in_scope(branch, born, died)` and `is_mined(branch, miner)` are the
-- reader's own.

CREATE TEMP VIEW IF NOT EXISTS visible_documents AS
    SELECT d.* FROM main.documents AS d WHERE is_visible(d.ordinal);

CREATE TEMP VIEW IF NOT EXISTS visible_texts AS
    SELECT d.ordinal, d.id, c.hash, c.text
    FROM visible_documents AS d JOIN main.contents AS c ON c.id = d.content;

-- LEFT JOIN, though every node has its document: SQLite leaves it out of a query that needs neither
-- `document_id` nor `path`.
CREATE TEMP VIEW IF NOT EXISTS visible_nodes AS
    SELECT n.*, d.id AS document_id, d.path
    FROM main.document_nodes AS n LEFT JOIN main.documents AS d ON d.ordinal = n.document
    WHERE is_visible(n.document);

CREATE TEMP VIEW IF NOT EXISTS visible_offers AS
    SELECT o.branch, o.key, o.document, o.rank, d.id || o.suffix AS node, d.path
    FROM main.offers AS o JOIN main.documents AS d ON d.ordinal = o.document
    WHERE is_visible(o.document);

CREATE TEMP VIEW IF NOT EXISTS visible_claims AS
    SELECT c.*, c.inner AS inner_id, d.id || c.suffix AS source, d.id AS document_id, d.path
    FROM main.claims AS c JOIN main.documents AS d ON d.ordinal = c.document
    WHERE is_visible(c.document) AND is_mined(c.branch, c.miner);

-- A mined edge: both halves are visible, so both its ends are.
CREATE TEMP VIEW IF NOT EXISTS visible_meetings AS
    SELECT c.source, c.relation, c.path, c.line, c.start, c.stop, c.says, c.miner, c.rank, c.near,
           c.inner_id, c.strict, o.node AS offered, o.path AS offered_path,
           o.rank AS offered_rank,
           c.inner_id = '' OR EXISTS (SELECT 1 FROM main.document_nodes AS n
                                      WHERE n.id = o.node || c.inner_id AND n.document = o.document)
               AS holds,
           c.document AS claimant, o.document AS offerer
    FROM visible_claims AS c JOIN visible_offers AS o ON o.branch = c.branch AND o.key = c.key;

CREATE TEMP VIEW IF NOT EXISTS visible_chunks AS
    SELECT c.document, c.position, c.id, c.node, c.heading_path, c.first_line, c.last_line,
           c.start, c.stop, c.page, v.vector
    FROM main.vector_chunks AS c JOIN main.vectors AS v ON v.id = c.vector
    WHERE is_visible(c.document);

CREATE TEMP VIEW IF NOT EXISTS visible_relationships AS
    SELECT r.*
    FROM main.document_relationships AS r
    WHERE in_scope(r.branch, r.born, r.died)
      AND EXISTS (SELECT 1 FROM main.document_nodes AS s
                  WHERE s.id = r.source AND is_visible(s.document))
      AND EXISTS (SELECT 1 FROM main.document_nodes AS t
                  WHERE t.id = r.target AND is_visible(t.document));

-- Packed across documents, so rows cannot be filtered here: search masks them with the same
-- `visible` before it looks at any number.
CREATE TEMP VIEW IF NOT EXISTS masked_postings AS SELECT * FROM main.postings;
CREATE TEMP VIEW IF NOT EXISTS masked_segments AS
    SELECT s.* FROM main.segments AS s JOIN main.branches AS b ON b.id = s.branch
    WHERE s.born <= b.newest;
CREATE TEMP VIEW IF NOT EXISTS masked_vectors AS SELECT id, vector FROM main.vectors;
