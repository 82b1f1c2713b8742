-- A chunk's row in an index is named by its document's version and its position.
CREATE OR REPLACE VIEW visible_vectors WITH (security_invoker) AS
    SELECT v.vector, c.node, d.id AS document_id, c.document, c.position
    FROM vectors AS v
         JOIN vector_chunks AS c ON c.vector = v.id
         JOIN documents AS d ON d.ordinal = c.document
         JOIN asked_scope() AS s
             ON s.branch = d.branch AND d.born <= s.snapshot AND s.snapshot < d.died
    WHERE (d.class IN (SELECT readable())) IS TRUE;

-- How often a document's class changed or a snapshot was removed: then versions are read anew.
ALTER TABLE changes ADD COLUMN access_changes bigint NOT NULL DEFAULT 0;
