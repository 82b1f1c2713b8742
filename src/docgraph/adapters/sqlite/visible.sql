-- The one place where reads begin: every read of every stage selects from these views alone.
-- `is_visible(ordinal)` and `in_scope(branch, born, died)` are the reader's own.

CREATE TEMP VIEW visible_documents AS
    SELECT * FROM main.documents WHERE is_visible(ordinal);

CREATE TEMP VIEW visible_texts AS
    SELECT d.ordinal, d.id, c.text
    FROM main.documents AS d JOIN main.contents AS c ON c.id = d.content
    WHERE is_visible(d.ordinal);

CREATE TEMP VIEW visible_nodes AS
    SELECT * FROM main.document_nodes WHERE is_visible(document);

CREATE TEMP VIEW visible_names AS
    SELECT * FROM main.defined_names WHERE is_visible(document);

CREATE TEMP VIEW visible_chunks AS
    SELECT c.document, c.position, c.id, c.node, c.heading_path, c.first_line, c.last_line,
           c.start, c.stop, c.page, v.vector
    FROM main.vector_chunks AS c JOIN main.vectors AS v ON v.id = c.vector
    WHERE is_visible(c.document);

CREATE TEMP VIEW visible_relationships AS
    SELECT r.*
    FROM main.document_relationships AS r
    WHERE in_scope(r.branch, r.born, r.died)
      AND EXISTS (SELECT 1 FROM main.document_nodes AS s
                  WHERE s.id = r.source AND is_visible(s.document))
      AND EXISTS (SELECT 1 FROM main.document_nodes AS t
                  WHERE t.id = r.target AND is_visible(t.document));

-- Packed across documents, so rows cannot be filtered here: search masks them with the same
-- `visible` before it looks at any number.
CREATE TEMP VIEW masked_postings AS SELECT * FROM main.postings;
CREATE TEMP VIEW masked_segments AS
    SELECT s.* FROM main.segments AS s JOIN main.branches AS b ON b.id = s.branch
    WHERE s.born <= b.newest;
CREATE TEMP VIEW masked_vectors AS SELECT id, vector FROM main.vectors;
