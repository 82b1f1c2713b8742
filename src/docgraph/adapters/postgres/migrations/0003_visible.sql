-- The first lock: every read of every stage selects from these views alone. They see with the eyes
-- of whoever asks, so that row-level security judges every row behind them once more.
--
-- Each begins with the table whose rows are looked up, goes from there to the document, and from
-- there to the snapshots that are asked for; tables are joined in this order (guard.sql).
-- `IS TRUE` keeps the set of classes a set, asked once and hashed, and no further table to join.

CREATE VIEW visible_documents WITH (security_invoker) AS
    SELECT d.*
    FROM documents AS d
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_texts WITH (security_invoker) AS
    SELECT d.ordinal, d.id, c.hash, c.text
    FROM documents AS d
         JOIN contents AS c ON c.id = d.content
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_nodes WITH (security_invoker) AS
    SELECT n.*, d.id AS document_id, d.path
    FROM document_nodes AS n
         JOIN documents AS d ON d.ordinal = n.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_offers WITH (security_invoker) AS
    SELECT o.branch, o.key, o.key_hash, o.document, o.rank, d.id || o.suffix AS node, d.path
    FROM offers AS o
         JOIN documents AS d ON d.ordinal = o.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_claims WITH (security_invoker) AS
    SELECT c.*, d.id || c.suffix AS source, d.id AS document_id, d.path
    FROM claims AS c
         JOIN documents AS d ON d.ordinal = c.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
            AND c.miner = ANY (s.miners)
    WHERE (d.class IN (SELECT readable())) IS TRUE;

-- Mined edges: both halves are visible, so both their ends are. Found from the claim's side, and
-- from the offer's.
CREATE VIEW visible_meetings WITH (security_invoker) AS
    SELECT c.document AS claimant, o.document AS offerer,
           cd.id || c.suffix AS source, c.relation, cd.path, c.line, c.start, c.stop, c.says,
           c.miner, c.rank, c.near, c.inner_id, c.strict,
           od.id || o.suffix AS offered, od.path AS offered_path, o.rank AS offered_rank,
           (c.inner_id = '' OR EXISTS (SELECT 1 FROM document_nodes AS n
                                       WHERE n.id = od.id || o.suffix || c.inner_id
                                         AND n.document = o.document))::integer AS holds
    FROM claims AS c
         JOIN documents AS cd ON cd.ordinal = c.document
         JOIN asked_scope() AS cs
             ON cs.branch = cd.branch AND cd.born <= cs.snapshot AND cs.snapshot < cd.died
            AND c.miner = ANY (cs.miners)
         JOIN offers AS o ON o.branch = c.branch AND o.key_hash = c.key_hash AND o.key = c.key
         JOIN documents AS od ON od.ordinal = o.document
         JOIN asked_scope() AS os
             ON os.branch = od.branch AND od.born <= os.snapshot AND os.snapshot < od.died
    WHERE (cd.class IN (SELECT readable())) IS TRUE
      AND (od.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_answers WITH (security_invoker) AS
    SELECT c.document AS claimant, o.document AS offerer,
           cd.id || c.suffix AS source, c.relation, cd.path, c.line, c.start, c.stop, c.says,
           c.miner, c.rank, c.near, c.inner_id, c.strict,
           od.id || o.suffix AS offered, od.path AS offered_path, o.rank AS offered_rank,
           (c.inner_id = '' OR EXISTS (SELECT 1 FROM document_nodes AS n
                                       WHERE n.id = od.id || o.suffix || c.inner_id
                                         AND n.document = o.document))::integer AS holds
    FROM offers AS o
         JOIN documents AS od ON od.ordinal = o.document
         JOIN asked_scope() AS os
             ON os.branch = od.branch AND od.born <= os.snapshot AND os.snapshot < od.died
         JOIN claims AS c ON c.branch = o.branch AND c.key_hash = o.key_hash AND c.key = o.key
         JOIN documents AS cd ON cd.ordinal = c.document
         JOIN asked_scope() AS cs
             ON cs.branch = cd.branch AND cd.born <= cs.snapshot AND cs.snapshot < cd.died
            AND c.miner = ANY (cs.miners)
    WHERE (cd.class IN (SELECT readable())) IS TRUE
      AND (od.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_chunks WITH (security_invoker) AS
    SELECT c.document, c.position, c.id, c.node, c.heading_path, c.first_line, c.last_line,
           c.start, c.stop, c.page, v.vector
    FROM vector_chunks AS c
         JOIN documents AS d ON d.ordinal = c.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
         JOIN vectors AS v ON v.id = c.vector
    WHERE (d.class IN (SELECT readable())) IS TRUE;

-- The same passages from their vectors' side, for an index over these.
CREATE VIEW visible_vectors WITH (security_invoker) AS
    SELECT v.vector, c.node, d.id AS document_id
    FROM vectors AS v
         JOIN vector_chunks AS c ON c.vector = v.id
         JOIN documents AS d ON d.ordinal = c.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

CREATE VIEW visible_relationships WITH (security_invoker) AS
    SELECT r.*
    FROM document_relationships AS r
         JOIN asked_scope() AS a
             ON a.branch = r.branch AND r.born <= a.snapshot AND a.snapshot < r.died
    WHERE EXISTS (SELECT 1 FROM visible_nodes AS s WHERE s.id = r.source)
      AND EXISTS (SELECT 1 FROM visible_nodes AS t WHERE t.id = r.target);

-- Packed by class, so these show whole what the reader may see some of in some snapshot; search
-- masks them with the same `visible` before it looks at any number.
CREATE VIEW masked_segments WITH (security_invoker) AS
    SELECT s.* FROM segments AS s JOIN branches AS b ON b.id = s.branch
    WHERE s.born <= b.newest AND (s.class IN (SELECT readable())) IS TRUE;
CREATE VIEW masked_postings WITH (security_invoker) AS
    SELECT p.* FROM postings AS p;
CREATE VIEW masked_vectors WITH (security_invoker) AS
    SELECT v.id, v.vector FROM vectors AS v;
